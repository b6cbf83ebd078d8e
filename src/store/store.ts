/**
 * What mailboxes hold: the one interface to folders and messages (docs/mailboxes.md). Whatever is expected to happen is a value;
 * a method rejects only where the database is away.
 */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { retryingConflicts } from '../db/retry.ts';
import { BoundedMap } from '../concurrency/bounded-map.ts';
import { type AppendResult, appendBatch, appendWithin, type NewMessage } from './append.ts';
import {
  changeFlags,
  type FlagChange,
  type FlaggedMessage,
  type FlagResult,
  flagWithin,
} from './change-flags.ts';
import { type Expunging, expunging } from './expunge.ts';
import { copyMessages, type FileResult, moveMessages } from './file-messages.ts';
import { type CountsQuery, type FolderCounts, readCounts } from './folder-counts.ts';
import {
  createFolder,
  deleteFolder,
  type Folder,
  type FolderResult,
  listFolders,
  type NewFolder,
  renameFolder,
} from './folders.ts';
import { type FolderKey, type MailDatabase, MailboxLocks } from './in-folder.ts';
import { keyOf, makeFolders, type MailboxKey } from './lock-mailboxes.ts';
import { LISTED_AT_A_TIME, listSome } from './list-older.ts';
import type { FolderRef, FolderRequest } from './locked-folders.ts';
import { MailNotifier } from './notices.ts';
import {
  type FolderChanges,
  type FolderSnapshot,
  readChanges,
  readFlags,
  readSnapshot,
  takeRecent,
} from './read-folder.ts';
import { type MessageField, type MessageFields, readFields } from './read-fields.ts';
import {
  findDigests,
  readMessages,
  readPage,
  readStructures,
  type StoredMessage,
  type StoredStructure,
} from './read-messages.ts';
import { type MessageMatches, findMessages } from './find/find-messages.ts';
import type { MessageQuery } from './find/message-query.ts';
import { type Maildrop, readMaildrop } from './read-maildrop.ts';
import { type ReplyingMessage, readReplies } from './find/read-replies.ts';
import { type SortBy, sortMessages } from './find/sort-messages.ts';
import { findText } from './search/find-text.ts';
import { normalForm } from './search/normal-form.ts';
import { uuidsOf } from './search/object-ids.ts';
import type { SearchIndexer } from './search/search-indexer.ts';
import { type ReplacedWithin, type ReplaceResult, replaceMessage, replaceWithin } from './replace-message.ts';
import { type QuotaUse, readQuotas } from './usage.ts';
import { readSubscriptions, subscribe } from './subscriptions.ts';
import { MAX_UID, type UidRange } from './uid-ranges.ts';

const FLIGHTS = 2;
/** Hand-overs of a commit. */
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Each takes some 100 bytes. */
const MAX_KNOWN = 100_000;

/** Messages of one folder that are in another one now. */
export interface MovedMessages extends MailboxKey {
  fromFolderId: string;
  toFolderId: string;
  /** Those that they have now. */
  uids: readonly number[];
}

export class Store {
  readonly #database: Database;
  readonly #onMoved: ((moved: MovedMessages) => void) | null;
  /** Mailboxes that have folders. An id never comes back once it was deleted. */
  readonly #known = new BoundedMap<string, true>(MAX_KNOWN);
  readonly #indexer: SearchIndexer | null;
  readonly #mail: MailDatabase;
  readonly #notifier: MailNotifier;
  readonly #appends: GroupCommit<readonly NewMessage[], AppendResult[]>;

  /**
   * @param indexer null: a process that only looks into a mailbox now and then
   * @param onMoved called after the commit of a move, with what was moved, and of a copy: a mail app without MOVE copies, and deletes
   * what it copied. It must not throw
   */
  constructor(
    database: Database,
    indexer: SearchIndexer | null = null,
    onMoved: ((moved: MovedMessages) => void) | null = null,
  ) {
    this.#database = database;
    this.#indexer = indexer;
    this.#onMoved = onMoved;
    this.#mail = { database, turns: new MailboxLocks() };
    this.#notifier = new MailNotifier(database);
    this.#appends = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      maxBytes: MAX_BATCH_BYTES,
      sizeOf: sizeOfHandOver,
      flush: async (handOvers) => {
        const messages = handOvers.flat();
        const results = await appendBatch(database, messages);
        this.#noteStored(messages, results);
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

  /**
   * Puts messages into a mailbox, all of them or none (RFC 3502).
   * @returns one result for each, in order; what keeps one of them out is the result of all
   */
  async appendWhole(messages: readonly NewMessage[]): Promise<AppendResult[]> {
    await this.ensureFolders(messages);
    const [mailbox] = messages;
    if (mailbox === undefined) return [];
    const results = await this.#mail.turns.run(mailbox, () =>
      retryingConflicts(() => appendBatch(this.#database, messages, { isWhole: true })),
    );
    this.#noteStored(messages, results);
    return results;
  }

  /**
   * As `append`, in the caller's transaction, once `ensureFolders` was called for the mailboxes.
   * @returns one result for each message, in order, and what is to be called after the commit
   */
  async appendIn(
    tx: DatabaseTransaction,
    messages: readonly NewMessage[],
  ): Promise<{ results: AppendResult[]; committed(): void }> {
    const results = messages.length === 0 ? [] : await appendWithin(tx, messages);
    return { results, committed: () => this.#noteStored(messages, results) };
  }

  #noteStored(messages: readonly NewMessage[], results: readonly AppendResult[]): void {
    for (const [at, { projectId, mailboxId }] of messages.entries()) {
      const result = results[at];
      if (result?.outcome !== 'stored') continue;
      this.#notifier.changed({ mailboxId, folderId: result.folderId });
      this.#indexer?.note({ projectId, mailboxId }, 1, 'came');
    }
  }

  /**
   * Which messages of a mailbox, in all folders, have some words in their subject, addresses, text or names of attachments.
   * @param words not empty; case and accents do not count (`search/normal-form.ts`)
   * @returns their `objectId`, each once, in no order. Some may have been deleted since
   */
  async search(mailbox: MailboxKey, words: string): Promise<string[]> {
    const needle = normalForm(words);
    const [head, body] = await Promise.all(
      (['head', 'body'] as const).map((part) =>
        findText(this.#database, mailbox, { part, needle, also: null }),
      ),
    );
    this.#indexer?.note(mailbox, Math.max(head?.unindexed ?? 0, body?.unindexed ?? 0), 'unindexed');
    return uuidsOf(Buffer.concat([head?.ids ?? Buffer.alloc(0), body?.ids ?? Buffer.alloc(0)]));
  }

  /** Somebody who searched found so many messages that the index of words does not have. */
  noteUnindexed({ projectId, mailboxId }: MailboxKey, messages: number): void {
    this.#indexer?.note({ projectId, mailboxId }, messages, 'unindexed');
  }

  /** As `findMessages`. */
  async find(folder: FolderKey, query: MessageQuery, tick: () => void): Promise<MessageMatches> {
    const { unindexed, ...found } = await findMessages(this.#database, folder, query, tick);
    const { projectId, mailboxId } = folder;
    this.#indexer?.note({ projectId, mailboxId }, unindexed, 'unindexed');
    return found;
  }

  /** As `sortMessages`. */
  async sort(
    folder: FolderKey,
    ranges: readonly UidRange[],
    keys: readonly SortBy[],
    timeoutMs: number,
  ): Promise<Uint32Array | null> {
    return sortMessages(this.#database, folder, ranges, keys, timeoutMs);
  }

  /** As `readReplies`. */
  async answers(folder: FolderKey, ranges: readonly UidRange[]): Promise<ReplyingMessage[]> {
    return readReplies(this.#database, folder, ranges);
  }

  /** Makes the folders that every mailbox has, at the first use of it: Inbox, Sent, Drafts, Junk, Trash and Archive. */
  async ensureFolders(mailboxes: readonly MailboxKey[]): Promise<void> {
    const unknown = new Map<string, MailboxKey>();
    for (const mailbox of mailboxes) {
      const key = keyOf(mailbox);
      if (!this.#known.has(key)) unknown.set(key, mailbox);
    }
    if (unknown.size === 0) return;
    await makeFolders(this.#database, [...unknown.values()]);
    for (const key of unknown.keys()) this.#known.set(key, true);
  }

  /** Sorted by name. None: no such mailbox. */
  async folders(mailbox: MailboxKey): Promise<Folder[]> {
    await this.ensureFolders([mailbox]);
    return listFolders(this.#database, mailbox);
  }

  /** Makes a folder where it is missing. Nothing is said where it cannot be made. @param name as `normalFolderName` gives it */
  async wishFolder(mailbox: MailboxKey, name: string): Promise<void> {
    const { projectId, mailboxId } = mailbox;
    const found = await this.#database
      .selectFrom('folders')
      .select('id')
      .where('projectId', '=', projectId)
      .where('mailboxId', '=', mailboxId)
      .where('name', '=', name)
      .executeTakeFirst();
    if (found === undefined) await this.createFolder(mailbox, { name });
  }

  async createFolder(mailbox: MailboxKey, folder: NewFolder): Promise<FolderResult> {
    await this.ensureFolders([mailbox]);
    return this.#telling(mailbox, createFolder(this.#mail, mailbox, folder));
  }

  /** As `renameFolder`. */
  async renameFolder(mailbox: MailboxKey, old: string, name: string): Promise<FolderResult> {
    return this.#telling(mailbox, renameFolder(this.#mail, mailbox, old, name));
  }

  /** The messages of the Inbox go into a new folder (RFC 9051, section 6.3.6); those that come meanwhile stay. */
  async renameInbox(inbox: FolderKey, name: string): Promise<FolderResult> {
    const made = await this.createFolder(inbox, { name });
    if (made.outcome !== 'done') return made;
    const moved = await this.move(inbox, [{ first: 1, last: MAX_UID }], { id: made.folderId });
    if (moved.outcome === 'filed') return made;
    return { outcome: moved.outcome === 'bad-keywords' ? 'too-many' : 'no-folder' };
  }

  async deleteFolder(folder: FolderKey): Promise<FolderResult> {
    return this.#telling(folder, deleteFolder(this.#mail, folder));
  }

  /** As `subscribe`. */
  async subscribe(mailbox: MailboxKey, name: string, subscribed: boolean): Promise<boolean> {
    return subscribe(this.#database, mailbox, name, subscribed);
  }

  /** As `readSubscriptions`. */
  async subscriptions(mailbox: MailboxKey): Promise<string[]> {
    return readSubscriptions(this.#database, mailbox);
  }

  /** As `readCounts`. */
  async counts(mailbox: MailboxKey, asked: CountsQuery): Promise<Map<string, FolderCounts>> {
    return readCounts(this.#database, mailbox, asked);
  }

  /** What the mailbox holds, and may hold; null: there is no such mailbox. */
  async quota(mailbox: MailboxKey): Promise<QuotaUse | null> {
    return (await readQuotas(this.#database, [mailbox])).get(mailbox.mailboxId) ?? null;
  }

  /** As `changeFlags`. */
  async flag(folder: FolderKey, ranges: readonly UidRange[], change: FlagChange): Promise<FlagResult> {
    return changeFlags(this.#mail, folder, ranges, change, () => this.#notifier.changed(folder));
  }

  /** As `replaceMessage`. */
  async replace(folder: FolderKey, uid: number, message: NewMessage): Promise<ReplaceResult> {
    const result = await replaceMessage(this.#mail, folder, uid, message);
    if (result.outcome === 'stored') {
      this.#notifier.changed(folder);
      this.#noteStored([message], [result]);
    }
    return result;
  }

  /**
   * As `replaceWithin`, once `ensureFolders` was called for the mailbox.
   * @returns with what is to be called after the commit
   */
  async replaceIn(
    tx: DatabaseTransaction,
    wish: FolderRequest,
    objectId: string,
    message: NewMessage | null,
  ): Promise<{ result: ReplacedWithin; committed(): void }> {
    const result = await replaceWithin(tx, wish, objectId, message);
    return {
      result,
      committed: () => {
        if (result.outcome === 'removed')
          this.#notifier.changed({ mailboxId: wish.mailboxId, folderId: result.folderId });
        if (result.outcome === 'stored' && message !== null) this.#noteStored([message], [result]);
      },
    };
  }

  /** As `flagWithin`. @returns what is to be called after the commit */
  async flagIn(
    tx: DatabaseTransaction,
    mailbox: MailboxKey,
    objectId: string,
    added: Pick<FlagChange, 'flags' | 'keywords'>,
  ): Promise<() => void> {
    const changed = await flagWithin(tx, mailbox, objectId, added);
    return () => {
      for (const folderId of changed) this.#notifier.changed({ mailboxId: mailbox.mailboxId, folderId });
    };
  }

  /** As `copyMessages`. */
  async copy(folder: FolderKey, ranges: readonly UidRange[], target: FolderRef): Promise<FileResult> {
    const result = await copyMessages(this.#mail, folder, ranges, target, (folderId) =>
      this.#notifier.changed({ ...folder, folderId }),
    );
    this.#noteMoved(folder, result);
    return result;
  }

  /** As `moveMessages`. */
  async move(folder: FolderKey, ranges: readonly UidRange[], target: FolderRef): Promise<FileResult> {
    const result = await moveMessages(this.#mail, folder, ranges, target, (folderId) => {
      this.#notifier.changed(folder);
      this.#notifier.changed({ ...folder, folderId });
    });
    this.#noteMoved(folder, result);
    return result;
  }

  #noteMoved({ projectId, mailboxId, folderId: fromFolderId }: FolderKey, result: FileResult): void {
    if (result.outcome !== 'filed' || result.uids.length === 0) return;
    const uids = result.uids.map(({ to }) => to);
    this.#onMoved?.({ projectId, mailboxId, fromFolderId, toFolderId: result.folderId, uids });
  }

  /** Deletes messages for ever. @returns their UIDs; null: no such folder */
  async expunge(folder: FolderKey, which: Expunging): Promise<number[] | null> {
    const all: number[] = [];
    const batches = expunging(this.#mail, folder, which);
    for (let batch = await batches.next(); ; batch = await batches.next()) {
      if (batch.done === true) return batch.value === 'done' ? all : null;
      all.push(...batch.value);
      this.#notifier.changed(folder);
    }
  }

  /** As `readPage`. */
  async page(folder: FolderKey, before: number | null, limit: number): Promise<StoredMessage[]> {
    return readPage(this.#database, folder, before, limit);
  }

  /** As `readMessages`. */
  async messages(folder: FolderKey, ranges: readonly UidRange[]): Promise<StoredMessage[]> {
    return readMessages(this.#database, folder, ranges);
  }

  /** As `readFields`. */
  async fields(
    folder: FolderKey,
    ranges: readonly UidRange[],
    fields: readonly MessageField[],
  ): Promise<MessageFields> {
    return readFields(this.#database, folder, ranges, fields);
  }

  /** As `findDigests`. */
  async digestsIn(folder: FolderKey, digests: readonly string[]): Promise<Set<string>> {
    return findDigests(this.#database, folder, digests);
  }

  /** As `readStructures`. */
  async structures(folder: FolderKey, ranges: readonly UidRange[]): Promise<StoredStructure[]> {
    return readStructures(this.#database, folder, ranges);
  }

  /** As `readSnapshot`. */
  async snapshot(folder: FolderKey): Promise<FolderSnapshot | null> {
    return readSnapshot(this.#database, folder);
  }

  /** As `readFlags`. */
  async flags(folder: FolderKey, ranges: readonly UidRange[]): Promise<FlaggedMessage[]> {
    return readFlags(this.#database, folder, ranges);
  }

  /** As `takeRecent`. */
  async takeRecent(folder: FolderKey): Promise<UidRange | null> {
    return takeRecent(this.#database, folder);
  }

  /** As `readMaildrop`. */
  async maildrop(mailbox: MailboxKey): Promise<Maildrop | null> {
    await this.ensureFolders([mailbox]);
    return readMaildrop(this.#database, mailbox);
  }

  /** Lists older messages of a folder as conversations, as many as there is time for. @returns false: there are more */
  async listOlder(folder: FolderKey, timeoutMs: number): Promise<boolean> {
    const endsAt = performance.now() + timeoutMs;
    for (;;) {
      const listed = await listSome(this.#mail, folder);
      if (listed === null || listed < LISTED_AT_A_TIME) return true;
      if (performance.now() > endsAt) return false;
    }
  }

  /** As `readChanges`. */
  async changesSince(folder: FolderKey, modseq: number): Promise<FolderChanges | null> {
    return readChanges(this.#database, folder, modseq);
  }

  /** Says that a folder was made, renamed or deleted. */
  async #telling(mailbox: MailboxKey, changing: Promise<FolderResult>): Promise<FolderResult> {
    const result = await changing;
    if (result.outcome === 'done') this.#notifier.changed({ ...mailbox, folderId: result.folderId });
    return result;
  }
}

function sizeOfHandOver(messages: readonly NewMessage[]): number {
  let size = 0;
  for (const { blob, facts } of messages)
    size +=
      (blob.bytes?.length ?? 0) +
      facts.text.length +
      facts.header.length +
      facts.envelope.length +
      (facts.usualFields?.length ?? 0) +
      facts.bodyStructure.length;
  return size;
}
