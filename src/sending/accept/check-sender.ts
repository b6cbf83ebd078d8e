/** Checks whether a project may send from an address (docs/contract.md, Senders). */
import type { SendingDomain, SendingDomains } from '../../domains/sending-domains.ts';
import type { HostedAddresses } from '../../mailboxes/hosted-addresses.ts';
import type { ReservedAddresses } from '../../mailboxes/reserved-addresses.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';

export interface SenderRules {
  sendingDomains: SendingDomains;
  hostedAddresses: HostedAddresses;
  reservedAddresses: ReservedAddresses;
}

/**
 * Returns the sending domain. If domain and address are cached, the result is not a promise, so that accepting an email stays fast.
 * @throws AppError domain-not-verified, validation-failed
 */
export function checkSender(
  rules: SenderRules,
  projectId: string,
  from: MailboxAddress,
): MaybePromise<SendingDomain> {
  const domain = rules.sendingDomains.find(projectId, from.domain);
  if (domain instanceof Promise) {
    return domain.then((found) => checkDomain(rules, projectId, found, from));
  }
  return checkDomain(rules, projectId, domain, from);
}

function checkDomain(
  rules: SenderRules,
  projectId: string,
  domain: SendingDomain,
  from: MailboxAddress,
): MaybePromise<SendingDomain> {
  if (!domain.allowed) {
    return addressThatWorks(rules, projectId, from.localPart).then((address) => {
      const detail = `The domain ${from.domain} is not verified in this project. Verify it, or send from ${address}.`;
      throw new AppError('domain-not-verified', detail, {
        errors: {
          from: `${from.domain} is not a verified domain of this project; verify it, or send from ${address}`,
        },
      });
    });
  }
  const isReserved = rules.reservedAddresses.has(from);
  if (isReserved instanceof Promise)
    return isReserved.then((found) => checkAddress(rules, projectId, domain, from, found));
  return checkAddress(rules, projectId, domain, from, isReserved);
}

function checkAddress(
  rules: SenderRules,
  projectId: string,
  domain: SendingDomain,
  from: MailboxAddress,
  isReserved: boolean,
): MaybePromise<SendingDomain> {
  if (isReserved) {
    const other = `${ownName(projectId)}@${from.domain}`;
    throw validationError({
      from: `${from.address} belongs to the operator of the service; send from another address, such as ${other}`,
    });
  }
  if (!domain.isHosted) return domain;
  const owner = rules.hostedAddresses.ownerOf(from.localPart);
  if (owner instanceof Promise) {
    return owner.then((found) => {
      checkOwner(found, projectId, from);
      return domain;
    });
  }
  checkOwner(owner, projectId, from);
  return domain;
}

/**
 * An address at the hosted domain from which the project may send, for the error message. It has the local part of the rejected sender if
 * the project may use that local part.
 */
async function addressThatWorks(
  { sendingDomains, hostedAddresses, reservedAddresses }: SenderRules,
  projectId: string,
  localPart: string,
): Promise<string> {
  for (const name of [localPart, 'hello']) {
    const address = `${name}@${sendingDomains.hostedDomain}`;
    const parsed = parseMailbox(address);
    if ('error' in parsed || (await reservedAddresses.has(parsed))) continue;
    const owner = await hostedAddresses.ownerOf(name);
    if (owner === null || owner === projectId) return address;
  }
  return `${ownName(projectId)}@${sendingDomains.hostedDomain}`;
}

/** A local part that is unique to the project. */
function ownName(projectId: string): string {
  return `hello-${encodeId('prj', projectId).slice(-8).toLowerCase()}`;
}

function checkOwner(owner: string | null, projectId: string, from: MailboxAddress): void {
  if (owner === null || owner === projectId) return;
  const other = `${ownName(projectId)}@${from.domain}`;
  throw validationError({
    from: `${from.address} belongs to a mailbox of another project; send from another address, such as ${other}`,
  });
}
