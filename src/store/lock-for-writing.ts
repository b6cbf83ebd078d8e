import type { DatabaseTransaction } from '../db/database.ts';
import { keyOf, lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import { lockLimitedProjects } from './plan-storage.ts';

/**
 * Takes the same locks in the same order as `appendIn` and `replaceIn`. For a transaction that must read the mailbox before calling either
 * function.
 * @returns whether the mailbox exists
 */
export async function lockForWriting(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<boolean> {
  await lockLimitedProjects(tx, new Set([mailbox.projectId]));
  return (await lockMailboxes(tx, [mailbox])).has(keyOf(mailbox));
}
