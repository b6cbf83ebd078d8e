/** A project's claim on a domain, in the form of the API. */
import { bodyOf } from '../contract/body-of.ts';
import { Domain } from '../contract/domains.ts';
import { encodeId } from '../model/ids.ts';
import type { MailAccess } from '../rfc/mail-setup/mail-access.ts';
import { type DomainClaim, isHosted } from './claim.ts';
import { recordBodies } from './record-bodies.ts';

const claimBody = bodyOf(Domain);

export interface ShowOptions {
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
    // Manual verification changes only the status. The flags and the records still show the DNS results.
    ...(isManual && { status: 'verified', verifiedAt: claim.verifiedByHandAt }),
    verifiedByHand: isManual || undefined,
    // Report the records of the hosted domain as correct. They are never checked, because the operator is responsible for them.
    spfVerified: hosted || claim.spfVerified,
    dkimVerified: hosted || claim.dkimVerified,
    mailFromVerified: hosted || claim.mailFromVerified,
    // The operator, not the project, publishes the records of the hosted domain.
    records: hosted ? [] : recordBodies(claim, mailAccess),
  });
}
