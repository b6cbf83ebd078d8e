/** Looks at the records of a domain in DNS. */
import type { DnsResolver } from '../net/dns.ts';
import type { ExpectedRecord } from './expected-records.ts';
import { type Check, judgeMx, judgeTxt } from './judge-record.ts';

/** By `checkKey`. */
export type Checks = Readonly<Record<string, Check>>;

export function checkKey({ record, name }: ExpectedRecord): string {
  return `${record} ${name}`;
}

/** All of them at once. @param domain that they belong to */
export async function lookUpRecords(
  resolver: DnsResolver,
  domain: string,
  records: readonly ExpectedRecord[],
): Promise<Checks> {
  const checks = await Promise.all(
    records.map(async (record) => [checkKey(record), await lookUpRecord(resolver, domain, record)] as const),
  );
  return Object.fromEntries(checks);
}

async function lookUpRecord(resolver: DnsResolver, domain: string, record: ExpectedRecord): Promise<Check> {
  const check = await lookAt(resolver, record, record.name);
  if (check.status !== 'failed' || check.found.length > 0) return check;
  const { organizationalDomain } = await import('./domain-name.ts');
  const organization = organizationalDomain(domain) ?? domain;
  if (record.record === 'DMARC' && organization !== domain) {
    // The policy of the organisation holds for what is below it (RFC 7489, section 6.6.3).
    const inherited = await lookAt(resolver, record, `_dmarc.${organization}`);
    return inherited.status === 'verified' ? inherited : check;
  }
  return record.required
    ? await lookElsewhere(resolver, record, [...new Set([domain, organization])], check)
    : check;
}

/** A panel that wants the name relative to its zone makes `<name>.<zone>` of the full one. */
async function lookElsewhere(
  resolver: DnsResolver,
  record: ExpectedRecord,
  zones: readonly string[],
  nothing: Check,
): Promise<Check> {
  const names = zones.map((zone) => `${record.name}.${zone}`);
  const checks = await Promise.all(names.map((name) => lookAt(resolver, record, name)));
  const at = checks.findIndex(({ found }) => found.length > 0);
  if (at === -1) return nothing;
  const error = `There is no ${record.type} record at ${record.name}, but there is one at ${names[at]}: the DNS panel appended the domain. Enter the name without it.`;
  return { ...nothing, error };
}

async function lookAt(resolver: DnsResolver, record: ExpectedRecord, name: string): Promise<Check> {
  const expected = { ...record, name };
  return record.type === 'MX'
    ? judgeMx(expected, await resolver.mx(name))
    : judgeTxt(expected, await resolver.txt(name));
}
