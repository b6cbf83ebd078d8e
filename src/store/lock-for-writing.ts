import type { DatabaseTransaction } from '../db/database.ts';
import { keyOf, lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import { lockLimitedProjects } from './plan-storage.ts';

/**
 * Takes the locks of `appendIn` and `replaceIn` in their order, for a transaction that must read something first.
 * @returns whether the mailbox exists
 */
export async function lockForWriting(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<boolean> {
  await lockLimitedProjects(tx, new Set([mailbox.projectId]));
  return (await lockMailboxes(tx, [mailbox])).has(keyOf(mailbox));
}
