/** The DNS records of a claim, in the form of the API. Separate from `domain-body.ts`, because workers use no schemas, which take 8 MB. */
import type { DomainRecord } from '../contract/domains.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type DomainClaim, recordsOf } from './claim.ts';
import { type ExpectedRecord, namesHost } from './expected-records.ts';
import { hostNameFault } from './host-name.ts';
import { type Checks, checkKey } from './look-up-records.ts';

/** The records of a claim, with the results of the last check. */
export function recordBodies(claim: DomainClaim, mailAccess: MailAccess): DomainRecord[] {
  return recordsOf(claim, mailAccess).map((record) => recordBody(record, claim.checks, mailAccess.hostname));
}

function recordBody(record: ExpectedRecord, checks: Checks, hostname: string): DomainRecord {
  const check = checks[checkKey(record)];
  const fault = namesHost(record) ? hostNameFault(hostname) : null;
  const { keepUntil, ...shown } = record;
  return {
    ...shown,
    status: check?.status ?? 'pending',
    found: check?.found ?? [],
    error: fault ?? check?.error ?? null,
    ...(check?.wrongTerm !== undefined && { wrong_term: check.wrongTerm }),
    ...(check?.advice !== undefined && { advice: [...check.advice] }),
    ...(check?.fixBy !== undefined && { fix_by: check.fixBy }),
    ...(keepUntil !== undefined && { keep_until: keepUntil.toISOString() }),
  };
}
