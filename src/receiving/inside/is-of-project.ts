import type { Database } from '../../db/database.ts';
import { type MailDomains, locationOf } from '../../domains/mx/mail-claim.ts';
import { findMailboxes } from '../route/find-mailboxes.ts';
import { readAddress } from '../route/read-address.ts';

export interface ProjectMailDomains extends MailDomains {
  /** The host names of this installation. */
  mxHosts: readonly string[];
}

/**
 * Whether a project's mail to the address reaches only mailboxes of the same project and never leaves this instance. Uses the cached MX
 * answer; the MX is checked again at delivery.
 * @param address in normal form
 */
export async function isOfProject(
  database: Database,
  domains: ProjectMailDomains,
  projectId: string,
  address: string,
): Promise<boolean> {
  const read = readAddress(address);
  if (read === null || read === 'postmaster') return false;
  const [found] = await findMailboxes(database, domains, [read]);
  const { claim = null, mailboxes = [] } = found ?? {};
  if (claim === null || locationOf(claim, claim.mx, domains.mxHosts) !== 'here') return false;
  return mailboxes.length > 0 && mailboxes.every((mailbox) => mailbox.projectId === projectId);
}
