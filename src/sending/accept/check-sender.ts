/** Whether a project may send as an address (docs/contract.md, Senders). */
import { isOperatorAddress } from '../../domains/hosted.ts';
import type { SendingDomain, SendingDomains } from '../../domains/sending-domains.ts';
import type { HostedAddresses } from '../../mailboxes/hosted-addresses.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { Mailbox } from '../../rfc/address/index.ts';

export interface SenderRules {
  sendingDomains: SendingDomains;
  hostedAddresses: HostedAddresses;
}

/**
 * The domain that is sent from. Where domain and address are known there is no promise, so that accepting stays fast.
 * @throws AppError domain-not-verified, validation-failed
 */
export function checkSender(
  rules: SenderRules,
  projectId: string,
  from: Mailbox,
): MaybePromise<SendingDomain> {
  const domain = rules.sendingDomains.find(projectId, from.domain);
  if (domain instanceof Promise) {
    return domain.then((found) => checkDomain(rules.hostedAddresses, projectId, found, from));
  }
  return checkDomain(rules.hostedAddresses, projectId, domain, from);
}

function checkDomain(
  hostedAddresses: HostedAddresses,
  projectId: string,
  domain: SendingDomain,
  from: Mailbox,
): MaybePromise<SendingDomain> {
  if (!domain.allowed) {
    throw new AppError('domain-not-verified', `The domain ${from.domain} is not verified in this project.`, {
      errors: { from: `${from.domain} is not a verified domain of this project` },
    });
  }
  if (!domain.isHosted) return domain;
  if (isOperatorAddress(from.localPart)) {
    throw validationError({ from: `${from.address} belongs to the operator of the service` });
  }
  const owner = hostedAddresses.ownerOf(from.localPart);
  if (owner instanceof Promise) {
    return owner.then((found) => {
      checkOwner(found, projectId, from);
      return domain;
    });
  }
  checkOwner(owner, projectId, from);
  return domain;
}

function checkOwner(owner: string | null, projectId: string, from: Mailbox): void {
  if (owner === null || owner === projectId) return;
  throw validationError({ from: `${from.address} belongs to a mailbox of another project` });
}
