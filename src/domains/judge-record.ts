/** Compares the DNS answer with the expected record and explains how to fix a wrong record. Pure. */
import type { DnsAnswer, MxRecord, SrvRecord } from '../net/dns.ts';
import type { ExpectedRecord } from './expected-records.ts';
import { spfError } from './spf.ts';
import { tagsOf } from './tag-list.ts';

/** The result of the last check of a record. */
export interface RecordCheck {
  status: 'verified' | 'failed' | 'temporary_failure';
  /** The records in DNS at the expected name, within the limits below. */
  found: string[];
  /** The instructions for the user; null if verified. */
  error: string | null;
  /** The organizational domain, if the DMARC policy that applies was found there. */
  inheritedFrom?: string;
}

/** Maximum number of stored records. Attack: anyone can publish records of any number and size. */
export const MAX_STORED_RECORDS = 10;
const MAX_FOUND_LENGTH = 1_000;
const VERIFIED = null;
/**
 * All keys of one size begin with the same characters, fewer than this. A shorter value that agrees with the expected key in this many
 * characters is therefore a damaged copy of the key.
 */
const SAME_KEY_LENGTH = 64;

export function judgeTxt(expected: ExpectedRecord, answer: DnsAnswer<string>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  return verdict(answer.records, txtError(answer.records, expected));
}

function txtError(records: readonly string[], expected: ExpectedRecord): string | null {
  const rule = TXT_RULES[expected.record];
  const error = rule(records, expected);
  if (error === VERIFIED || rule(records.map(unquoted), expected) !== VERIFIED) return error;
  return `The TXT record at ${expected.name} contains quotation marks or backslashes; enter the value without them.`;
}

/** Removes the quotes and backslashes of a value that was copied from a zone file. */
function unquoted(text: string): string {
  return text.replace(/["\u201c\u201d\\]/g, '');
}

export function judgeMx(expected: ExpectedRecord, answer: DnsAnswer<MxRecord>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const found = answer.records.map(({ priority, exchange }) => `${priority} ${exchange || '.'}`);
  return verdict(found, mxError(answer.records, expected));
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
  return verdict(found, isThere ? VERIFIED : error);
}

export function judgeCname(expected: ExpectedRecord, answer: DnsAnswer<string>): RecordCheck {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const error = `The CNAME record at ${expected.name} does not name ${expected.value}; replace it.`;
  return verdict(answer.records, answer.records.includes(expected.value) ? VERIFIED : error);
}

function notFound(
  { type, name }: ExpectedRecord,
  answer: { outcome: 'none' } | { outcome: 'failed'; reason: string },
): RecordCheck {
  if (answer.outcome === 'none')
    return { status: 'failed', found: [], error: `There is no ${type} record at ${name}.` };
  const error = `The DNS query for ${name} failed (${answer.reason}). The status does not change until a query succeeds.`;
  return { status: 'temporary_failure', found: [], error };
}

function verdict(found: readonly string[], error: string | null): RecordCheck {
  return {
    status: error === VERIFIED ? 'verified' : 'failed',
    found: found.slice(0, MAX_STORED_RECORDS).map((text) => text.slice(0, MAX_FOUND_LENGTH).toWellFormed()),
    error,
  };
}

/** The check of each kind of TXT record. It returns an error message, or null if the records are correct. */
const TXT_RULES: Readonly<
  Record<ExpectedRecord['record'], (records: readonly string[], expected: ExpectedRecord) => string | null>
> = {
  DKIM: dkimError,
  SPF: (records, { name, value }) => spfError(records, name, value.split(' ')[1] ?? ''),
  DMARC: dmarcError,
  MAIL_FROM: () => null,
  MX: () => null,
  CLIENT: () => null,
};

/** Compares a DKIM record with the expected key (RFC 6376, section 3.6.1). */
function dkimError(records: readonly string[], { name, value }: ExpectedRecord): string | null {
  if (records.length > 1)
    return `There are ${records.length} TXT records at ${name}; leave only the one shown.`;
  const [found, wanted] = [tagsOf(records[0] ?? ''), tagsOf(value)];
  const version = found.get('v') ?? 'DKIM1';
  const key = withoutSpace(found.get('p') ?? '');
  const expectedKey = wanted.get('p') ?? '';
  if (version !== 'DKIM1' || !found.has('p')) {
    return `The TXT record at ${name} is not a DKIM key; replace it with the one shown.`;
  }
  if ((found.get('k') ?? 'rsa') !== wanted.get('k') || key === '' || key !== expectedKey) {
    return isPartOf(key, expectedKey)
      ? `The key of the TXT record at ${name} is cut off; enter the whole value.`
      : `The key of the TXT record at ${name} is not the one shown; replace it.`;
  }
  return VERIFIED;
}

/**
 * Whether a key is the expected key with characters missing. Some DNS panels accept only 255 characters, or drop characters in the middle.
 */
function isPartOf(key: string, wanted: string): boolean {
  if (key === '' || key.length >= wanted.length) return false;
  return (
    wanted.startsWith(key) ||
    (key.length > SAME_KEY_LENGTH && wanted.startsWith(key.slice(0, SAME_KEY_LENGTH)))
  );
}

/** Checks the DMARC record (RFC 7489, section 6.6.3). */
function dmarcError(records: readonly string[], { name }: ExpectedRecord): string | null {
  const policies = records.filter((text) => /^v *= *DMARC1 *(?:;|$)/.test(text));
  if (policies.length === 0) return `No TXT record at ${name} begins with v=DMARC1; add the one shown.`;
  if (policies.length > 1) return `There are ${policies.length} DMARC records at ${name}; leave only one.`;
  const policy =
    tagsOf(policies[0] ?? '')
      .get('p')
      ?.toLowerCase() ?? '';
  if (['none', 'quarantine', 'reject'].includes(policy)) return VERIFIED;
  return `The DMARC record at ${name} has no p=none, p=quarantine or p=reject.`;
}

function mxError(records: readonly MxRecord[], { name, value }: ExpectedRecord): string | null {
  if (records.length === 0)
    return `The MX records at ${name} name no host; enter a host such as ${value}, not an IP address.`;
  const others = records.filter(({ exchange }) => exchange !== value).map(({ exchange }) => exchange);
  const [other] = others;
  if (other === undefined) return VERIFIED;
  if (others.length < records.length) {
    return `The MX records at ${name} name other hosts besides ${value}; leave only ${value}.`;
  }
  if (other.startsWith(`${value}.`)) {
    return `The MX record at ${name} names ${other}: the DNS panel appended a domain. End the value with a dot.`;
  }
  return `The MX records at ${name} do not name ${value}.`;
}

/** Key data may be folded (RFC 6376, section 3.2). */
function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]/g, '');
}
