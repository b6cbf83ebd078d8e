import type { Database } from '../../db/database.ts';
import type { SendingDomains } from '../../domains/sending-domains.ts';
import { isOwnAddress, ownAddresses } from '../../mailboxes/own-addresses.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { isOfProject, type ProjectMailDomains } from '../inside/is-of-project.ts';

export interface ForwardingDomains {
  sendingDomains: Pick<SendingDomains, 'find'>;
  mailDomains: ProjectMailDomains;
}

/**
 * Rejects targets to which mail could never be forwarded: the mailbox itself and, if the mailbox's domain is not verified, any address
 * elsewhere. Each delivery checks again, because the domain's state may change.
 * @param target in normal form
 * @param field the request field that is named in the error
 * @throws AppError validation-failed; not-found if the mailbox does not exist
 */
export async function checkTarget(
  database: Database,
  { sendingDomains, mailDomains }: ForwardingDomains,
  { projectId, mailboxId }: MailboxKey,
  target: string,
  field: string,
): Promise<void> {
  const own = await ownAddresses(database, projectId, mailboxId);
  if (own[0] === undefined) throw new AppError('not-found', 'There is no such mailbox in the project.');
  const parsed = parseMailbox(target);
  if ('error' in parsed) throw validationError({ [field]: parsed.error });
  if (isOwnAddress(parsed, own))
    throw validationError({ [field]: `${target} is an address of this mailbox; enter another address` });
  const { domain } = own[0];
  if ((await sendingDomains.find(projectId, domain)).allowed) return;
  if (await isOfProject(database, mailDomains, projectId, target)) return;
  throw validationError({
    [field]: `${target} cannot be used while the domain of this mailbox, ${domain}, is not verified: until then, mail can be forwarded only to mailboxes of the same project on this server. Publish the DNS records that "posthorn domain show" lists, then try again`,
  });
}
