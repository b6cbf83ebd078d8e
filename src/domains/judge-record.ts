/** Whether what DNS answers is what a record should be, and if not, what to do about it. Pure. */
import type { DnsAnswer, MxRecord } from '../net/dns.ts';
import type { ExpectedRecord } from './expected-records.ts';

/** What the last look at a record saw. */
export interface Check {
  status: 'verified' | 'failed' | 'temporary_failure';
  /** What DNS answers at its name, bounded. */
  found: string[];
  /** For people, one can act on it; null when verified. */
  error: string | null;
}

/** What is kept of an answer: others write it. */
const MAX_FOUND = 10;
const MAX_FOUND_LENGTH = 1_000;
const VERIFIED = null;

export function judgeTxt(expected: ExpectedRecord, answer: DnsAnswer<string>): Check {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const error = TXT_RULES[expected.record](answer.records, expected);
  return verdict(answer.records, error);
}

export function judgeMx(expected: ExpectedRecord, answer: DnsAnswer<MxRecord>): Check {
  if (answer.outcome !== 'found') return notFound(expected, answer);
  const found = answer.records.map(({ priority, exchange }) => `${priority} ${exchange || '.'}`);
  return verdict(found, mxError(answer.records, expected));
}

function notFound(
  { type, name }: ExpectedRecord,
  answer: { outcome: 'none' } | { outcome: 'failed'; reason: string },
): Check {
  if (answer.outcome === 'none')
    return { status: 'failed', found: [], error: `There is no ${type} record at ${name}.` };
  const error = `DNS could not be asked for ${name} (${answer.reason}). Nothing changes until it can.`;
  return { status: 'temporary_failure', found: [], error };
}

function verdict(found: readonly string[], error: string | null): Check {
  return {
    status: error === VERIFIED ? 'verified' : 'failed',
    found: found.slice(0, MAX_FOUND).map((text) => text.slice(0, MAX_FOUND_LENGTH)),
    error,
  };
}

/** Each gives what is wrong, or null. */
const TXT_RULES: Readonly<
  Record<ExpectedRecord['record'], (records: readonly string[], expected: ExpectedRecord) => string | null>
> = {
  DKIM: dkimError,
  SPF: spfError,
  DMARC: dmarcError,
  MAIL_FROM: () => null,
  MX: () => null,
};

/** RFC 6376, section 3.6.1. */
function dkimError(records: readonly string[], { name, value }: ExpectedRecord): string | null {
  if (records.length > 1)
    return `There are ${records.length} TXT records at ${name}; leave only the one shown.`;
  const [found, wanted] = [tagsOf(records[0] ?? ''), tagsOf(value)];
  const key = withoutSpace(found.get('p') ?? '');
  const differs = `The TXT record at ${name} is not the one shown; replace it.`;
  if ((found.get('v') ?? 'DKIM1') !== 'DKIM1' || (found.get('k') ?? 'rsa') !== wanted.get('k'))
    return differs;
  if (key === wanted.get('p')) return VERIFIED;
  const isCut = key !== '' && wanted.get('p')?.startsWith(key) === true;
  return isCut ? `The TXT record at ${name} is cut off; enter the whole value.` : differs;
}

/** RFC 7208, sections 4.5 and 4.6. */
function spfError(records: readonly string[], { name, value }: ExpectedRecord): string | null {
  const policies = records.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (policies.length === 0) return `No TXT record at ${name} begins with v=spf1; add the one shown.`;
  if (policies.length > 1) return `There are ${policies.length} SPF records at ${name}; merge them into one.`;
  const [, mechanism = ''] = value.split(' ');
  const terms = (policies[0] ?? '').toLowerCase().split(/ +/);
  const all = terms.findIndex((term) => /^[-+~?]?all$/.test(term));
  const allows = (all === -1 ? terms : terms.slice(0, all)).some(
    (term) => term.replace(/^\+/, '') === mechanism,
  );
  return allows
    ? VERIFIED
    : `The SPF record at ${name} does not have ${mechanism}; add it in front of "all".`;
}

/** RFC 7489, section 6.6.3. */
function dmarcError(records: readonly string[], { name }: ExpectedRecord): string | null {
  const policies = records.filter((text) => /^v *= *DMARC1 *(?:;|$)/.test(text));
  if (policies.length === 0) return `No TXT record at ${name} begins with v=DMARC1; add the one shown.`;
  if (policies.length > 1) return `There are ${policies.length} DMARC records at ${name}; leave only one.`;
  const policy =
    tagsOf(policies[0] ?? '')
      .get('p')
      ?.toLowerCase() ?? '';
  if (['none', 'quarantine', 'reject'].includes(policy)) return VERIFIED;
  return `The DMARC record at ${name} has no p= of none, quarantine or reject.`;
}

function mxError(records: readonly MxRecord[], { name, value }: ExpectedRecord): string | null {
  const others = records.filter(({ exchange }) => exchange !== value).map(({ exchange }) => exchange);
  const [other] = others;
  if (other === undefined) return VERIFIED;
  if (others.length < records.length) {
    return `The MX records at ${name} name other hosts beside ${value}; leave only ${value}.`;
  }
  if (other.startsWith(`${value}.`)) {
    return `The MX record at ${name} names ${other}: the DNS panel appended a domain. End the value with a dot.`;
  }
  return `The MX records at ${name} do not name ${value}.`;
}

/** `name=value;` as DKIM and DMARC write them. */
function tagsOf(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(';')) {
    const equals = part.indexOf('=');
    if (equals !== -1) tags.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return tags;
}

/** Key data may be folded (RFC 6376, section 3.2). */
function withoutSpace(text: string): string {
  return text.replace(/[ \t\r\n]/g, '');
}
