import type { Config } from '../../app/config.ts';
import type { ExpectedRecord } from '../../domains/expected-records.ts';
import { sendsFromHost } from '../../domains/host-name.ts';
import { checkKey, lookUpRecords } from '../../domains/look-up-records.ts';
import { dnsOfDomains } from '../../net/zone-dns.ts';

/** A record that is missing or wrong in DNS, or could not be looked up. */
export interface WrongRecord {
  /** The problem, in a sentence that names the record. */
  error: string;
  required: boolean;
  /** Whether the record is missing or wrong. False if the lookup failed. */
  isMissing: boolean;
}

/** Looks up the records of a domain and returns the records that are missing, wrong or unknown. */
export async function findWrongRecords(
  { dns, environment, provider }: Pick<Config, 'dns' | 'environment' | 'provider'>,
  domain: string,
  records: readonly ExpectedRecord[],
): Promise<WrongRecord[]> {
  const resolver = dnsOfDomains(dns, environment === 'development')(domain);
  const checks = await lookUpRecords(resolver, domain, records, sendsFromHost(provider));
  return records.flatMap((record) => {
    const check = checks[checkKey(record)];
    if (check?.error == null) return [];
    return [{ error: check.error, required: record.required, isMissing: check.status === 'failed' }];
  });
}
