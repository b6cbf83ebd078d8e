/** Whether a project may send as an address (contract, rule 2; decisions, Hosted domain). */
import { isOperatorAddress } from '../../domains/hosted.ts';
import type { SendingDomain, SendingDomains } from '../../domains/sending-domains.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { Mailbox } from '../../rfc/address/index.ts';

/**
 * Returns at once where the domain is known, for the sake of the accept path; else a promise.
 * @throws AppError domain-not-verified, validation-failed
 */
export function checkSender(
  domains: SendingDomains,
  projectId: string,
  from: Mailbox,
): Promise<void> | undefined {
  const found = domains.find(projectId, from.domain);
  if (found instanceof Promise) return found.then((domain) => check(domain, from));
  check(found, from);
  return undefined;
}

function check(domain: SendingDomain, from: Mailbox): void {
  if (!domain.allowed) {
    throw new AppError('domain-not-verified', `The domain ${from.domain} is not verified in this project.`, {
      errors: { from: `${from.domain} is not a verified domain of this project` },
    });
  }
  if (domain.isHosted && isOperatorAddress(from.localPart)) {
    throw validationError({
      from: `${from.localPart}@${from.domain} belongs to the operator of the service`,
    });
  }
}
