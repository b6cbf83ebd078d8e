import type { DatabaseTransaction } from '../db/database.ts';
import { keyOf, lockForStoring, type MailboxKey } from './lock-mailboxes.ts';

/**
 * Takes the same locks in the same order as `appendIn` and `replaceIn`. For a transaction that must read the mailbox before calling either
 * function.
 * @returns whether the mailbox exists
 */
export async function lockForWriting(tx: DatabaseTransaction, mailbox: MailboxKey): Promise<boolean> {
  return (await lockForStoring(tx, [mailbox])).mailboxes.has(keyOf(mailbox));
}
