import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { keyOf, type LockedMailbox, lockMailboxes, MAILBOX_KEY, type MailboxKey } from './lock-mailboxes.ts';
import { type LockedFolder, readFolders } from './locked-folders.ts';

/** A database with its mailbox locks. */
export interface MailDatabase {
  database: Database;
  locks: MailboxLocks;
}

/**
 * Serializes the transactions of each mailbox before they take a connection. Otherwise the transactions of one busy mailbox could occupy
 * all connections of the process while they wait for the mailbox lock in the database.
 */
export class MailboxLocks {
  /** The last transaction in the queue of each mailbox. */
  readonly #lines = new Map<string, Promise<unknown>>();

  run<T>(key: MailboxKey, work: () => Promise<T>): Promise<T> {
    const line = keyOf(key);
    const result = (this.#lines.get(line) ?? Promise.resolve()).then(work);
    const end = result
      .catch(() => {})
      .finally(() => {
        if (this.#lines.get(line) === end) this.#lines.delete(line);
      });
    this.#lines.set(line, end);
    return result;
  }
}

export const FOLDER_KEY = columnsOf({ ...MAILBOX_KEY.kinds, folderId: 'uuid' });
export type FolderKey = RowOf<typeof FOLDER_KEY>;

export interface FolderLock {
  mailbox: LockedMailbox;
  folder: LockedFolder;
}

/** Runs a transaction under a mailbox lock. @returns null if the project has no such mailbox, or the mailbox has no such folder */
export async function inFolder<T>(
  mail: MailDatabase,
  { projectId, mailboxId, folderId }: FolderKey,
  work: (tx: DatabaseTransaction, lock: FolderLock) => Promise<T>,
): Promise<T | null> {
  return inMailbox(mail, { projectId, mailboxId }, async (tx, mailbox) => {
    const [folder] = await readFolders(tx, [{ projectId, mailboxId, folder: { id: folderId } }]);
    return folder === undefined ? null : work(tx, { mailbox, folder });
  });
}

/** @param before takes locks that must precede the mailbox lock @returns null if the mailbox does not exist or was never used */
export async function inMailbox<T>(
  { database, locks }: MailDatabase,
  key: MailboxKey,
  work: (tx: DatabaseTransaction, mailbox: LockedMailbox) => Promise<T>,
  before?: (tx: DatabaseTransaction) => Promise<void>,
): Promise<T | null> {
  const transaction = () =>
    database.transaction().execute(async (tx) => {
      await before?.(tx);
      const mailbox = (await lockMailboxes(tx, [key])).get(keyOf(key));
      return mailbox === undefined ? null : work(tx, mailbox);
    });
  return locks.run(key, () => retryingConflicts(transaction));
}
