import type { Database } from '../../db/database.ts';
import { type MailDomains, standingOf } from '../../domains/mx/mail-claim.ts';
import { readAddress } from '../route/read-address.ts';
import { findInside } from './find-inside.ts';

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
  const [match = null] = await findInside(database, domains, [{ domain: read.domain, key: read.key }]);
  if (match === null || standingOf(match.claim, match.claim.mx, domains.mxHosts) !== 'here') return false;
  return match.mailboxes.every((mailbox) => mailbox.projectId === projectId);
}
