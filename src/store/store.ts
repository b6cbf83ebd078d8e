/**
 * What mailboxes hold: the one interface to folders and messages (docs/mailboxes.md). Whatever is expected to happen is a value;
 * a method rejects only where the database is away.
 */
import type { Database } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { BoundedMap } from '../model/bounded-map.ts';
import { type AppendResult, appendBatch, type NewMessage } from './append.ts';
import { makeFolders, type MailboxKey } from './lock-mailboxes.ts';

const FLIGHTS = 2;
/** Hand-overs of a commit. */
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Each takes some 100 bytes. */
const MAX_KNOWN = 100_000;

export class Store {
  readonly #database: Database;
  /** Mailboxes that have folders. An id never comes back once it was deleted. */
  readonly #known = new BoundedMap<string, true>(MAX_KNOWN);
  readonly #appends: GroupCommit<readonly NewMessage[], AppendResult[]>;

  constructor(database: Database) {
    this.#database = database;
    this.#appends = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      sizeOf: sizeOfHandOver,
      flush: async (handOvers) => {
        const results = await appendBatch(database, handOvers.flat());
        let at = 0;
        return handOvers.map(({ length }) => results.slice(at, (at += length)));
      },
    });
  }

  /**
   * Puts messages into mailboxes, in one transaction with whatever else arrives meanwhile. Resolves after the commit: what it
   * says is stored is stored, with its bytes. What one mailbox has no room for keeps no other one from its message.
   * @returns one result for each message, in order
   */
  async append(messages: readonly NewMessage[]): Promise<AppendResult[]> {
    if (messages.length === 0) return [];
    await this.ensureFolders(messages);
    return this.#appends.add(messages);
  }

  /** Makes the folders that every mailbox has, at the first use of it: Inbox, Sent, Drafts, Junk, Trash and Archive. */
  async ensureFolders(mailboxes: readonly MailboxKey[]): Promise<void> {
    const unknown = new Map<string, MailboxKey>();
    for (const mailbox of mailboxes) {
      const key = `${mailbox.projectId} ${mailbox.mailboxId}`;
      if (!this.#known.has(key)) unknown.set(key, mailbox);
    }
    if (unknown.size === 0) return;
    await makeFolders(this.#database, [...unknown.values()]);
    for (const key of unknown.keys()) this.#known.set(key, true);
  }
}

function sizeOfHandOver(messages: readonly NewMessage[]): number {
  let size = 0;
  for (const { blob, facts } of messages)
    size +=
      (blob.bytes?.length ?? 0) + facts.text.length + facts.envelope.length + facts.bodyStructure.length;
  return size;
}
