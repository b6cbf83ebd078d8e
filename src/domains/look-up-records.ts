/** Looks up the records of a domain in DNS and explains errors in them. */
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DnsAnswer } from '../net/dns.ts';
import type { RecordResolver } from '../net/zone-dns.ts';
import type { ExpectedRecord } from './expected-records.ts';
import { dmarcRecords } from './judge-dmarc.ts';
import {
  type RecordCheck,
  checkOf,
  judgeCname,
  judgeMx,
  judgeSrv,
  judgeTxt,
  unknown,
} from './judge-record.ts';
import { judgeSpf } from './spf/judge-spf.ts';

/** The result for each record, by the record's `checkKey`. */
export type Checks = Readonly<Record<string, RecordCheck>>;

export function checkKey({ record, name }: ExpectedRecord): string {
  return `${record} ${name}`;
}

/**
 * Looks up all records concurrently.
 * @param domain the domain that the records belong to
 * @param sendsDirectly see `judgeSpf`
 */
export async function lookUpRecords(
  resolver: RecordResolver,
  domain: string,
  records: readonly ExpectedRecord[],
  sendsDirectly = true,
): Promise<Checks> {
  const checks = await Promise.all(
    records.map(
      async (record) =>
        [checkKey(record), await lookUpRecord(resolver, domain, record, sendsDirectly)] as const,
    ),
  );
  return Object.fromEntries(checks);
}

async function lookUpRecord(
  resolver: RecordResolver,
  domain: string,
  record: ExpectedRecord,
  sendsDirectly: boolean,
): Promise<RecordCheck> {
  const check =
    record.record === 'SPF'
      ? await checkSpf(resolver, record, sendsDirectly)
      : await checkRecord(resolver, record, record.name);
  if (check.status !== 'failed') return check;
  if (check.found.length === 0) return queryElsewhere(resolver, domain, record, check);
  if (record.record === 'DMARC' && dmarcRecords(check.found).length === 0) {
    const inherited = await inheritDmarc(resolver, domain, record);
    if (inherited !== null) return inherited;
  }
  // An error that names a term is more precise than the explanations below.
  if (check.wrongTerm !== undefined) return check;
  const [isWild, alias] = await Promise.all([
    isWildcard(resolver, record, check),
    resolver.cname(record.name),
  ]);
  if (isWild) {
    const error = `A wildcard record (*) answers at ${record.name}, where there is no ${record.type} record of its own; add the one shown.`;
    return { ...check, error };
  }
  return record.type === 'CNAME' ? check : withAlias(record, check, alias);
}

/** Looks for a missing record at names where it may have been published by mistake, and explains what it finds. */
async function queryElsewhere(
  resolver: RecordResolver,
  domain: string,
  record: ExpectedRecord,
  check: RecordCheck,
): Promise<RecordCheck> {
  const { organizationOf } = await import('./domain-name.ts');
  const organization = organizationOf(domain);
  if (record.record === 'DMARC') {
    const inherited = await inheritDmarc(resolver, domain, record);
    if (inherited !== null) return inherited;
  }
  // DKIM records are searched for even if they are not required: a rotation's next key is not, but the user is publishing its record now
  // and needs the explanation.
  if (!record.required && record.record !== 'DKIM') return check;
  const alias = await resolver.cname(record.name);
  if (alias.outcome === 'found') return withAlias(record, check, alias);
  // A DNS panel that expects a relative name turns a full name into `<name>.<zone>`.
  const names = [...new Set([domain, organization])].map((zone) => `${record.name}.${zone}`);
  const isThere = await Promise.all(
    names.map(async (name) => {
      const there = await checkRecord(resolver, record, name);
      return there.found.length > 0 && !(await isWildcard(resolver, { ...record, name }, there));
    }),
  );
  const at = isThere.indexOf(true);
  if (at === -1) return check;
  const error = `There is no ${record.type} record at ${record.name}, but there is one at ${names[at]}: the DNS panel appended the domain. Enter the name without it.`;
  return { ...check, error };
}

/**
 * The organizational domain's policy applies to a subdomain at whose name receivers find no DMARC record (RFC 7489, section 6.6.3).
 * @returns null if no policy applies. A policy that may be tolerated (`tolerate.ts`) is returned although it failed
 */
async function inheritDmarc(
  resolver: RecordResolver,
  domain: string,
  record: ExpectedRecord,
): Promise<RecordCheck | null> {
  const { organizationOf } = await import('./domain-name.ts');
  const organization = organizationOf(domain);
  if (organization === domain) return null;
  const inherited = await checkRecord(resolver, record, `_dmarc.${organization}`);
  return inherited.status === 'verified' || inherited.passedEarlier === true
    ? { ...inherited, inheritedFrom: organization }
    : null;
}

/**
 * Adds an explanation if there is a CNAME at the record's name. No other record can exist next to a CNAME (RFC 1034, section 3.6.2), so a
 * resolver returned the records of the CNAME's target.
 */
function withAlias(
  { type, name }: ExpectedRecord,
  check: RecordCheck,
  alias: DnsAnswer<string>,
): RecordCheck {
  if (alias.outcome !== 'found') return check;
  const [target] = alias.records;
  const at = target === undefined ? '' : ` to ${target}`;
  const error = `There is a CNAME record at ${name}${at}, and no ${type} record can be seen next to it; replace it with the record shown.`;
  return { ...check, error };
}

/** Whether a wildcard answers for the record's name. This is so if a random name next to it has the same records. */
async function isWildcard(
  resolver: RecordResolver,
  record: ExpectedRecord,
  { found }: RecordCheck,
): Promise<boolean> {
  const beside = `x${randomBytes(8).toString('hex')}${record.name.slice(record.name.indexOf('.'))}`;
  const other = await checkRecord(resolver, record, beside);
  return isDeepStrictEqual(other.found.toSorted(), found.toSorted());
}

async function checkSpf(
  resolver: RecordResolver,
  record: ExpectedRecord,
  sendsDirectly: boolean,
): Promise<RecordCheck> {
  const { name, value } = record;
  const answer = await resolver.txt(name);
  const check = judgeTxt(record, answer);
  if (check.status !== 'verified' || answer.outcome !== 'found') return check;
  const [, mechanism = ''] = value.split(' ');
  const expected = { name, mechanism, hostname: mechanism.slice('a:'.length) };
  const judged = await judgeSpf(answer.records, expected, resolver, sendsDirectly);
  return 'failed' in judged
    ? unknown(answer.records, `The SPF record at ${name} could not be judged: ${judged.failed}.`)
    : checkOf(record, answer.records, judged);
}

async function checkRecord(
  resolver: RecordResolver,
  record: ExpectedRecord,
  name: string,
): Promise<RecordCheck> {
  const expected = { ...record, name };
  switch (record.type) {
    case 'TXT':
      return judgeTxt(expected, await resolver.txt(name));
    case 'MX':
      return judgeMx(expected, await resolver.mx(name));
    case 'SRV':
      return judgeSrv(expected, await resolver.srv(name));
    case 'CNAME':
      return judgeCname(expected, await resolver.cname(name));
  }
}
