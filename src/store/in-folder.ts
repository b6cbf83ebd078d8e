import { columnsOf, type RowOf } from '../db/columns.ts';
import { type Database, type DatabaseTransaction, mayWorkLater, sqlState } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { keyOf, type LockedMailbox, lockMailboxes, MAILBOX_KEY, type MailboxKey } from './lock-mailboxes.ts';
import { type LockedFolder, readFolders } from './locked-folders.ts';

/** The maximum number of `share` calls in one transaction. */
const MAX_WRITES = 100;
/** Messages that the writes of one transaction may change together. A larger write has its own transaction. */
export const MAX_MESSAGES = 1_000;

/** A kind of write to a locked mailbox. Concurrent writes of sessions of one mailbox share a transaction. */
export interface SharedWrite<Item, Result> {
  /** How many messages a write may change. The writes that share a transaction change at most `MAX_MESSAGES` together. */
  sizeOf(item: Item): number;
  /**
   * Carries out writes, with the same results as one after the other. May run again after a conflict, or if another write in the
   * transaction failed. Must leave `mailbox` in the state that it has written.
   * @returns one result for each item, in order
   */
  run(tx: DatabaseTransaction, mailbox: LockedMailbox, items: readonly Item[]): Promise<Result[]>;
}

type Transaction = () => Promise<unknown>;
type Write = Transaction | { kind: SharedWrite<unknown, unknown>; item: unknown };
/** Returns the result of a write, or throws its error. */
type Settled = () => unknown;

interface Line {
  commit: GroupCommit<Write, Settled>;
  /** The number of calls that have not returned yet. When there are none, the line is removed. */
  waiting: number;
}

/**
 * A database, and the order in which this process writes to it. Writes to one mailbox run one after the other. Otherwise, the transactions
 * of a busy mailbox could occupy all connections of the process while they wait for the mailbox lock in the database.
 */
export class MailDatabase {
  readonly database: Database;
  readonly #lines = new Map<string, Line>();

  constructor(database: Database) {
    this.database = database;
  }

  /** Runs a transaction on a mailbox after earlier writes of this process to the mailbox. Repeats the transaction after a conflict. */
  async alone<T>(key: MailboxKey, transaction: () => Promise<T>): Promise<T> {
    return (await this.#add(key, transaction)) as T;
  }

  /**
   * Runs a write in one transaction with other writes that wait for the mailbox, in the order of the calls. Resolves after the commit. A
   * failed write does not affect the others: their transaction is repeated without it.
   * @returns null if the mailbox does not exist or was never used
   */
  async share<Item, Result>(
    key: MailboxKey,
    kind: SharedWrite<Item, Result>,
    item: Item,
  ): Promise<Result | null> {
    return (await this.#add(key, { kind, item })) as Result | null;
  }

  async #add({ projectId, mailboxId }: MailboxKey, write: Write): Promise<unknown> {
    const key = { projectId, mailboxId };
    const name = keyOf(key);
    const line = this.#lines.get(name) ?? {
      waiting: 0,
      commit: new GroupCommit({
        flights: 1,
        maxItems: MAX_WRITES,
        // Counts messages instead of bytes.
        maxBytes: MAX_MESSAGES,
        sizeOf: sizeOfWrite,
        flush: (writes) => this.#flush(key, writes),
      }),
    };
    this.#lines.set(name, line);
    line.waiting += 1;
    try {
      return (await line.commit.add(write))();
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(name);
    }
  }

  async #flush(key: MailboxKey, writes: readonly Write[]): Promise<Settled[]> {
    const [first] = writes;
    if (typeof first === 'function') {
      const result = await first();
      return [() => result];
    }
    const shared = writes.filter((write) => typeof write !== 'function');
    let isCommitting = false;
    try {
      return await this.database.transaction().execute(async (tx) => {
        const mailbox = (await lockMailboxes(tx, [key])).get(keyOf(key));
        const results = mailbox === undefined ? shared.map(() => null) : await runAll(tx, mailbox, shared);
        isCommitting = true;
        return results.map((result) => () => result);
      });
    } catch (error) {
      // `GroupCommit` handles errors of the database, so these are rethrown.
      if (isCommitting || writes.length === 1 || sqlState(error) !== null || mayWorkLater(error)) throw error;
      // A bug in one write must not fail the writes of other sessions.
      const settled: Settled[] = [];
      for (const write of writes)
        settled.push(
          ...(await this.#flush(key, [write]).catch((own: unknown) => [
            () => {
              throw own;
            },
          ])),
        );
      return settled;
    }
  }
}

/**
 * How much a write counts towards `MAX_MESSAGES`. A write with its own transaction counts the maximum and every other write at least 1, so
 * that no other write joins that transaction.
 */
function sizeOfWrite(write: Write): number {
  if (typeof write === 'function') return MAX_MESSAGES;
  return Math.min(Math.max(write.kind.sizeOf(write.item), 1), MAX_MESSAGES);
}

/** Runs consecutive writes of the same kind with one call of the kind's `run`. */
async function runAll(
  tx: DatabaseTransaction,
  mailbox: LockedMailbox,
  writes: readonly Exclude<Write, Transaction>[],
): Promise<unknown[]> {
  const results: unknown[] = [];
  while (results.length < writes.length) {
    const rest = writes.slice(results.length);
    const kind = rest[0]?.kind as SharedWrite<unknown, unknown>;
    const end = rest.findIndex((write) => write.kind !== kind);
    const items = rest.slice(0, end === -1 ? rest.length : end).map(({ item }) => item);
    results.push(...(await kind.run(tx, mailbox, items)));
  }
  return results;
}

export const FOLDER_KEY = columnsOf({ ...MAILBOX_KEY.kinds, folderId: 'uuid' });
export type FolderKey = RowOf<typeof FOLDER_KEY>;

export interface FolderLock {
  mailbox: LockedMailbox;
  folder: LockedFolder;
}

/**
 * For a `SharedWrite` to folders: runs the writes of each folder together.
 * @param kindOf only writes with the same kind run together
 * @returns one result for each item, in order; null if the mailbox has no such folder
 */
export async function byFolder<Item extends { folder: FolderKey }, Result>(
  tx: DatabaseTransaction,
  items: readonly Item[],
  kindOf: (item: Item) => string,
  run: (folder: LockedFolder, items: readonly Item[]) => Promise<Result[]>,
): Promise<(Result | null)[]> {
  const results = new Map<Item, Result>();
  const groups = Map.groupBy(items, (item) => `${item.folder.folderId} ${kindOf(item)}`);
  for (const together of groups.values()) {
    const { projectId, mailboxId, folderId } = (together[0] as Item).folder;
    const [folder] = await readFolders(tx, [{ projectId, mailboxId, folder: { id: folderId } }]);
    if (folder === undefined) continue;
    for (const [at, result] of (await run(folder, together)).entries())
      results.set(together[at] as Item, result);
  }
  return items.map((item) => results.get(item) ?? null);
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

/** @returns null if the mailbox does not exist or was never used */
export async function inMailbox<T>(
  mail: MailDatabase,
  key: MailboxKey,
  work: (tx: DatabaseTransaction, mailbox: LockedMailbox) => Promise<T>,
): Promise<T | null> {
  return mail.alone(key, () =>
    mail.database.transaction().execute(async (tx) => {
      const mailbox = (await lockMailboxes(tx, [key])).get(keyOf(key));
      return mailbox === undefined ? null : work(tx, mailbox);
    }),
  );
}
