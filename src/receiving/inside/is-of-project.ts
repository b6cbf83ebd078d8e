import type { Database } from '../../db/database.ts';
import { readAddress } from '../route/read-address.ts';
import { findInside } from './find-inside.ts';

/** Whether mail of a project to the address reaches mailboxes of the same project alone, and never leaves. @param address in normal form */
export async function isOfProject(
  database: Database,
  hostedDomain: string,
  projectId: string,
  address: string,
): Promise<boolean> {
  const asked = readAddress(address);
  if (asked === null || asked === 'postmaster') return false;
  const [mailboxes = []] = await findInside(database, hostedDomain, [
    { projectId, domain: asked.domain, key: asked.key },
  ]);
  return mailboxes.length > 0 && mailboxes.every((mailbox) => mailbox.projectId === projectId);
}
