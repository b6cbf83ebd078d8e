import type { DatabaseTransaction } from '../db/database.ts';
import { keyOf, lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import { lockLimitedProjects } from './plan-storage.ts';

/**
 * Locks what `appendIn` and `replaceIn` will lock, in their order, for a transaction that has to look at something first.
 * @returns whether the mailbox is there
 */
export async function lockForWriting(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<boolean> {
  await lockLimitedProjects(tx, new Set([mailbox.projectId]));
  return (await lockMailboxes(tx, [mailbox])).has(keyOf(mailbox));
}
