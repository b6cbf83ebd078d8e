import type { Config } from '../../app/config.ts';
import type { DomainClaim } from '../../domains/claim.ts';
import type { ExpectedRecord } from '../../domains/expected-records.ts';
import { sendsFromHost } from '../../domains/host-name.ts';
import { checkKey, lookUpRecords } from '../../domains/look-up-records.ts';
import { tolerate } from '../../domains/tolerate.ts';
import * as clock from '../../model/clock.ts';
import { dnsOfDomains } from '../../net/zone-dns.ts';

/** A record that is missing or wrong in DNS, or could not be looked up. */
export interface WrongRecord {
  /** The problem, in a sentence that names the record. */
  error: string;
  required: boolean;
  /** Whether the record is missing or wrong. False if the lookup failed, or if the record is tolerated. */
  isMissing: boolean;
  /** If the record is wrong but tolerated: until when (`tolerate.ts`). */
  fixBy?: string;
}

/**
 * Looks up the records of a domain and returns the records that are missing, wrong or unknown.
 * @param claim the last check by a server. Without it, no record is tolerated
 */
export async function findWrongRecords(
  { dns, environment, provider }: Pick<Config, 'dns' | 'environment' | 'provider'>,
  domain: string,
  records: readonly ExpectedRecord[],
  claim?: Pick<DomainClaim, 'status' | 'checks'>,
): Promise<WrongRecord[]> {
  const resolver = dnsOfDomains(dns, environment === 'development')(domain);
  const lookedUp = await lookUpRecords(resolver, domain, records, sendsFromHost(provider));
  const checks = claim === undefined ? lookedUp : tolerate(lookedUp, claim, new Date(clock.nowMs()));
  return records.flatMap((record) => {
    const check = checks[checkKey(record)];
    if (check === undefined) return [];
    const { status, error, advice: [firstAdvice] = [], fixBy } = check;
    if (error !== null) return [{ error, required: record.required, isMissing: status === 'failed' }];
    return fixBy === undefined || firstAdvice === undefined
      ? []
      : [{ error: firstAdvice, required: record.required, isMissing: false, fixBy }];
  });
}
