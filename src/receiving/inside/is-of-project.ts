import type { Database } from '../../db/database.ts';
import { type MailDomains, standingOf } from '../../domains/mx/mail-claim.ts';
import { findMailboxes } from '../route/find-mailboxes.ts';
import { readAddress } from '../route/read-address.ts';

export interface ProjectMailDomains extends MailDomains {
  /** Names of the hosts of this installation. */
  mxHosts: readonly string[];
}

/**
 * Whether mail of a project to the address reaches mailboxes of the same project alone, and never leaves. It goes by the last answer about the MX;
 * the delivery asks again. @param address in normal form
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
  if (claim === null || standingOf(claim, claim.mx, domains.mxHosts) !== 'here') return false;
  return mailboxes.length > 0 && mailboxes.every((mailbox) => mailbox.projectId === projectId);
}
