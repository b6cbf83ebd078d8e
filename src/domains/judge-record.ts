/** Compares the DNS answer with the expected record and explains how to fix a wrong record. Pure. */
import type { DnsAnswer, MxRecord, SrvRecord } from '../net/dns.ts';
import { passedEarlier } from './earlier-rules.ts';
import type { ExpectedRecord } from './expected-records.ts';
import { judgeDkim } from './judge-dkim.ts';
import { judgeDmarc } from './judge-dmarc.ts';
import { readPolicy } from './spf/judge-spf.ts';
import type { Verdict } from './verdict.ts';

/** The result of the last check of a record. */
export interface RecordCheck {
  status: 'verified' | 'failed' | 'temporary_failure';
  /** The records in DNS at the expected name, within the limits below. */
  found: string[];
  /** The instructions for the user; null if verified. */
  error: string | null;
  /** The organizational domain, if the DMARC policy that applies was found there. */
  inheritedFrom?: string;
  /** The term or tag that is wrong, as published. */
  wrongTerm?: string;
  /** Recommendations about a record that works. */
  advice?: readonly string[];
  /** Whether a record that failed was correct by the earlier rules. Never stored. */
  passedEarlier?: boolean;
  /** In a stored check: 2 if the record was judged as receivers do. Absent for the earlier rules. */
  rules?: 2;
  /** In a stored check: when a record that is accepted only for a time must be correct (`tolerate.ts`). */
  fixBy?: string;
}

/** Maximum number of stored records. Attack: anyone can publish records of any number and size. */
export const MAX_STORED_RECORDS = 10;
const MAX_FOUND_LENGTH = 1_000;
/** Judges TXT records. Of an SPF record, only what can be seen without further DNS queries is judged (`judgeSpf`). */
export function judgeTxt(expected: ExpectedRecord, answer: DnsAnswer<string>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  return checkOf(expected, answer.records, txtVerdict(answer.records, expected));
}

function txtVerdict(records: readonly string[], expected: ExpectedRecord): Verdict {
  const rule = TXT_RULES[expected.record];
  const verdict = rule(records, expected);
  if (verdict.error === null || rule(records.map(unquoted), expected).error !== null) return verdict;
  return {
    error: `The TXT record at ${expected.name} contains quotation marks or backslashes; enter the value without them.`,
  };
}

/** Removes the quotes and backslashes of a value that was copied from a zone file. */
function unquoted(text: string): string {
  return text.replace(/["\u201c\u201d\\]/g, '');
}

export function judgeMx(expected: ExpectedRecord, answer: DnsAnswer<MxRecord>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const found = answer.records.map(({ priority, exchange }) => `${priority} ${exchange || '.'}`);
  return checkOf(expected, found, { error: mxError(answer.records, expected) });
}

export function judgeSrv(expected: ExpectedRecord, answer: DnsAnswer<SrvRecord>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const found = answer.records.map(
    ({ priority, weight, port, target }) => `${priority} ${weight} ${port} ${target || '.'}`,
  );
  // The priority and weight are ignored, because only one server is expected.
  const wanted = expected.value.slice(expected.value.indexOf(' '));
  const isThere = found.length > 0 && found.every((text) => text.endsWith(wanted));
  const error = `The SRV records at ${expected.name} do not say ${expected.priority} ${expected.value}; replace them.`;
  return checkOf(expected, found, { error: isThere ? null : error });
}

export function judgeCname(expected: ExpectedRecord, answer: DnsAnswer<string>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const error = `The CNAME record at ${expected.name} does not name ${expected.value}; replace it.`;
  return checkOf(expected, answer.records, { error: answer.records.includes(expected.value) ? null : error });
}

function notFound(
  { type, name }: ExpectedRecord,
  answer: { outcome: 'none' } | { outcome: 'failed'; reason: string },
): RecordCheck {
  if (answer.outcome === 'none')
    return { status: 'failed', found: [], error: `There is no ${type} record at ${name}.` };
  return unknown([], `The DNS query for ${name} failed (${answer.reason}).`);
}

/** The check of a record that cannot be judged until DNS answers. */
export function unknown(found: readonly string[], error: string): RecordCheck {
  return {
    status: 'temporary_failure',
    found: stored(found),
    error: `${error} The status does not change until a check succeeds.`,
  };
}

/** @param found the records in DNS */
export function checkOf(
  expected: ExpectedRecord,
  found: readonly string[],
  { error, wrongTerm, advice }: Verdict,
): RecordCheck {
  return {
    status: error === null ? 'verified' : 'failed',
    found: stored(found),
    error: error?.toWellFormed() ?? null,
    ...(wrongTerm !== undefined && { wrongTerm: wrongTerm.toWellFormed() }),
    ...(advice !== undefined && { advice: advice.map((text) => text.toWellFormed()) }),
    ...(error !== null && passedEarlier(found, expected) && { passedEarlier: true }),
  };
}

function stored(found: readonly string[]): string[] {
  return found.slice(0, MAX_STORED_RECORDS).map((text) => text.slice(0, MAX_FOUND_LENGTH).toWellFormed());
}

/** The check of each kind of TXT record. */
const TXT_RULES: Readonly<
  Record<ExpectedRecord['record'], (records: readonly string[], expected: ExpectedRecord) => Verdict>
> = {
  DKIM: judgeDkim,
  SPF: (records, { name }) => readPolicy(records, name),
  DMARC: (records, { name }) => judgeDmarc(records, name),
  MAIL_FROM: () => ({ error: null }),
  MX: () => ({ error: null }),
  CLIENT: () => ({ error: null }),
};

function mxError(records: readonly MxRecord[], { name, value }: ExpectedRecord): string | null {
  if (records.length === 0)
    return `The MX records at ${name} name no host; enter a host such as ${value}, not an IP address.`;
  const others = records.filter(({ exchange }) => exchange !== value).map(({ exchange }) => exchange);
  const [other] = others;
  if (other === undefined) return null;
  if (others.length < records.length) {
    return `The MX records at ${name} name other hosts besides ${value}; leave only ${value}.`;
  }
  if (other.startsWith(`${value}.`)) {
    return `The MX record at ${name} names ${other}: the DNS panel appended a domain. End the value with a dot.`;
  }
  return `The MX records at ${name} do not name ${value}.`;
}
