/** A project's claim on a domain, in the form of the API. */
import { bodyOf } from '../contract/body-of.ts';
import { Domain, type DomainRecord } from '../contract/domains.ts';
import { encodeId } from '../model/ids.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type DomainClaim, isHosted, recordsOf } from './claim.ts';
import { type ExpectedRecord, namesHost } from './expected-records.ts';
import { hostNameFault } from './host-name.ts';
import { type Checks, checkKey } from './look-up-records.ts';

const claimBody = bodyOf(Domain);

export interface ShowOptions {
  /** The hosts that the records point to. */
  mailAccess: MailAccess;
  /** Whether claims that were verified by hand count as verified. False in production. */
  trustsManualVerification: boolean;
}

/** The claim in the form of the API (docs/contract.md, Domain). */
export function domainBody(
  claim: DomainClaim,
  { mailAccess, trustsManualVerification }: ShowOptions,
): Domain {
  const hosted = isHosted(claim);
  const isManual = trustsManualVerification && claim.status !== 'verified' && claim.verifiedByHandAt !== null;
  return claimBody({
    ...claim,
    id: encodeId('dom', claim.id),
    domain: claim.name,
    isHosted: hosted,
    // Only the status changes. The flags and the records still show the DNS results.
    ...(isManual && { status: 'verified', verifiedAt: claim.verifiedByHandAt }),
    verifiedByHand: isManual || undefined,
    // The operator is responsible for the hosted domain, so its records are never checked.
    spfVerified: hosted || claim.spfVerified,
    dkimVerified: hosted || claim.dkimVerified,
    mailFromVerified: hosted || claim.mailFromVerified,
    // The operator publishes the records of the hosted domain.
    records: hosted ? [] : recordBodies(claim, mailAccess),
  });
}

/** The records of a claim, with the results of the last check. */
export function recordBodies(claim: DomainClaim, mailAccess: MailAccess): DomainRecord[] {
  return recordsOf(claim, mailAccess).map((record) => recordBody(record, claim.checks, mailAccess.hostname));
}

function recordBody(record: ExpectedRecord, checks: Checks, hostname: string): DomainRecord {
  const { status = 'pending', found = [], error = null } = checks[checkKey(record)] ?? {};
  const fault = namesHost(record) ? hostNameFault(hostname) : null;
  const { keepUntil, ...shown } = record;
  return {
    ...shown,
    status,
    found,
    error: fault ?? error,
    ...(keepUntil !== undefined && { keep_until: keepUntil.toISOString() }),
  };
}
