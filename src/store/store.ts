/**
 * The only interface to the folders and messages of mailboxes (docs/mailboxes.md). Expected failures are return values; a method rejects
 * only if the database is unavailable.
 */
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { BoundedMap } from '../concurrency/bounded-map.ts';
import { FOLDER_ROLES } from '../model/folder-roles.ts';
import { adoptUids, type SourceUids } from './adopt-uids.ts';
import { type AppendResult, appendBatch, appendWithin, type NewMessage } from './append.ts';
import {
  changedUids,
  changeFlags,
  type FlagChange,
  type FlaggedMessage,
  type FlagResult,
  flagWithin,
} from './change-flags.ts';
import { type Expunging, expungeWithin, expunging } from './expunge.ts';
import { copyMessages, type FileResult, moveMessages, moveWithin } from './file-messages.ts';
import { FLAG } from './flags.ts';
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
import { type FolderKey, MailDatabase } from './in-folder.ts';
import { keyOf, makeFolders, type MailboxKey } from './lock-mailboxes.ts';
import { LISTED_AT_A_TIME, listSome } from './list-older.ts';
import {
  moveAcross,
  type MoveAcrossResult,
  type MovedMessage,
  type OriginalMessage,
  readOriginals,
} from './move-across.ts';
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
import { type Maildrop, readMaildrop, readUidls } from './read-maildrop.ts';
import { type ReplyingMessages, readReplies } from './find/read-replies.ts';
import { SortCache } from './find/sort-cache.ts';
import { type SortBy, sortMessages } from './find/sort-messages.ts';
import { findText } from './search/find-text.ts';
import { normalForm } from './search/normal-form.ts';
import { uuidsOf } from './search/object-ids.ts';
import type { SearchIndexer } from './search/search-indexer.ts';
import { type ReplacedWithin, type ReplaceResult, replaceMessage, replaceWithin } from './replace-message.ts';
import { type QuotaUse, readQuotas } from './usage.ts';
import { readSubscriptions, subscribe, subscribeShared } from './subscriptions.ts';
import { MAX_UID, type UidRange } from './uid-ranges.ts';

const FLIGHTS = 2;
/** The maximum number of `append` calls in one commit. */
const MAX_BATCH = 100;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/**
 * Counted for each message in addition to its content. This limits a commit to 256 messages, because the messages to all mailboxes in it
 * wait until the whole commit is done.
 */
const ROW_BYTES = 16 * 1024;
const { sent: SENT } = FOLDER_ROLES;
/** The flags by which users show that mail is wanted. */
const VALUED = FLAG.answered | FLAG.flagged;
/** The maximum number of entries in `#known`. Each entry takes about 100 bytes. */
const MAX_KNOWN = 100_000;

/** Messages that were moved or copied from one folder to another. */
export interface MovedMessages extends MailboxKey {
  fromFolderId: string;
  toFolderId: string;
  /** The UIDs of the messages in the target folder. */
  uids: readonly number[];
}

/** Called after the commit of what users do with their mail. Must not throw. */
export interface MailObserver {
  /** Also called for a copy, because mail apps without MOVE copy messages and delete the originals. */
  moved(moved: MovedMessages): void;
  /** The messages have been answered or starred. */
  valued(folder: FolderKey, uids: readonly number[]): void;
  /** The mailbox wrote to these addresses: a message was submitted, or stored in Sent. */
  sent(mailbox: MailboxKey, recipients: readonly string[]): void;
}

export class Store {
  readonly #database: Database;
  readonly #observer: MailObserver | null;
  /** Mailboxes that have their standard folders. Entries stay valid, because ids of deleted mailboxes are never reused. */
  readonly #known = new BoundedMap<string, true>(MAX_KNOWN);
  readonly #indexer: SearchIndexer | null;
  readonly #mail: MailDatabase;
  readonly #notifier: MailNotifier;
  readonly #appends: GroupCommit<readonly NewMessage[], AppendResult[]>;
  readonly #sorted = new SortCache();

  /**
   * @param indexer null for processes that rarely access mailboxes
   * @param observer null for processes in which users do nothing
   */
  constructor(
    database: Database,
    indexer: SearchIndexer | null = null,
    observer: MailObserver | null = null,
  ) {
    this.#database = database;
    this.#indexer = indexer;
    this.#observer = observer;
    this.#mail = new MailDatabase(database);
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
   * Stores messages in mailboxes, in one transaction with other messages that arrive at the same time. Resolves after the commit, when all
   * messages reported as stored are durable, with their bytes. A full mailbox does not affect the other mailboxes.
   * @returns one result for each message, in order
   */
  async append(messages: readonly NewMessage[]): Promise<AppendResult[]> {
    if (messages.length === 0) return [];
    await this.ensureFolders(messages);
    return this.#appends.add(messages);
  }

  /**
   * Stores messages in a mailbox, all of them or none (RFC 3502).
   * @returns one result for each message, in order. If a message cannot be stored, its result is returned for every message
   */
  async appendWhole(messages: readonly NewMessage[]): Promise<AppendResult[]> {
    await this.ensureFolders(messages);
    const [mailbox] = messages;
    if (mailbox === undefined) return [];
    const results = await this.#mail.alone(mailbox, () =>
      appendBatch(this.#database, messages, { isWhole: true }),
    );
    this.#noteStored(messages, results);
    return results;
  }

  /**
   * Like `append`, in the caller's transaction. `ensureFolders` must have been called for the mailboxes.
   * @returns one result for each message, in order, and a function to call after the commit
   */
  async appendIn(
    tx: DatabaseTransaction,
    messages: readonly NewMessage[],
  ): Promise<{ results: AppendResult[]; committed(): void }> {
    const results = messages.length === 0 ? [] : await appendWithin(tx, messages);
    return { results, committed: () => this.#noteStored(messages, results) };
  }

  #noteStored(messages: readonly NewMessage[], results: readonly AppendResult[]): void {
    for (const [at, { projectId, mailboxId, folder, facts }] of messages.entries()) {
      const result = results[at];
      if (result?.outcome !== 'stored') continue;
      const isSent = 'role' in folder ? folder.role === 'sent' : 'name' in folder && folder.name === SENT;
      if (isSent) {
        const recipients = [...facts.to, ...facts.cc, ...facts.bcc].map(({ address }) => address);
        this.noteSent({ projectId, mailboxId }, recipients);
      }
      this.#notifier.changed({ mailboxId, folderId: result.folderId });
      this.#indexer?.note({ projectId, mailboxId }, 1, 'added');
    }
  }

  /** Tells the observer that the mailbox wrote to these addresses. Only needed if no copy is stored in Sent. */
  noteSent(mailbox: MailboxKey, recipients: readonly string[]): void {
    if (recipients.length > 0) this.#observer?.sent(mailbox, recipients);
  }

  /**
   * Finds messages in a mailbox, in all folders, with a text in their subject, addresses, body or names of attachments.
   * @param words not empty; case and accents are ignored (`search/normal-form.ts`)
   * @returns their `objectId`s, unordered, without duplicates. Some of the messages may have been deleted since
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

  /** Reports the number of messages that a search found to be missing from the word index. */
  noteUnindexed({ projectId, mailboxId }: MailboxKey, messages: number): void {
    this.#indexer?.note({ projectId, mailboxId }, messages, 'unindexed');
  }

  /** See `findMessages`. */
  async find(folder: FolderKey, query: MessageQuery, tick: () => void): Promise<MessageMatches> {
    const { unindexed, ...found } = await findMessages(this.#database, folder, query, tick);
    const { projectId, mailboxId } = folder;
    this.#indexer?.note({ projectId, mailboxId }, unindexed, 'unindexed');
    return found;
  }

  /** See `sortMessages`. @param ranges ascending and disjoint */
  async sort(
    folder: FolderKey,
    ranges: readonly UidRange[],
    count: number,
    keys: readonly SortBy[],
    timeoutMs: number,
  ): Promise<Uint32Array | null> {
    const order = keys.map(({ by, reverse }) => `${by} ${reverse}`);
    const name = [keyOf(folder), folder.folderId, ...order].join(' ');
    const known = this.#sorted.get(name, ranges, count);
    if (known !== null) return known;
    const uids = await sortMessages(this.#database, folder, ranges, count, keys, timeoutMs);
    if (uids !== null) this.#sorted.set(name, ranges, uids);
    return uids;
  }

  /** See `readReplies`. */
  async answers(folder: FolderKey, ranges: readonly UidRange[]): Promise<ReplyingMessages> {
    return readReplies(this.#database, folder, ranges);
  }

  /** Creates the standard folders of a mailbox at its first use: Inbox, Sent, Drafts, Junk, Trash and Archive. */
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

  /** The folders, sorted by name. Empty if there is no such mailbox. */
  async folders(mailbox: MailboxKey): Promise<Folder[]> {
    await this.ensureFolders([mailbox]);
    return listFolders(this.#database, mailbox);
  }

  /** Creates a folder if the mailbox does not have it yet. Ignores failures. @param name from `normalFolderName` */
  async createFolderIfMissing(mailbox: MailboxKey, name: string): Promise<void> {
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
    return this.#notifying(mailbox, createFolder(this.#mail, mailbox, folder));
  }

  /** See `renameFolder`. */
  async renameFolder(mailbox: MailboxKey, old: string, name: string): Promise<FolderResult> {
    return this.#notifying(mailbox, renameFolder(this.#mail, mailbox, old, name));
  }

  /** Moves the messages in the Inbox to a new folder (RFC 9051, section 6.3.6). Messages that arrive in the meantime stay. */
  async renameInbox(inbox: FolderKey, name: string): Promise<FolderResult> {
    const created = await this.createFolder(inbox, { name });
    if (created.outcome !== 'done') return created;
    const moved = await this.move(inbox, [{ first: 1, last: MAX_UID }], { id: created.folderId });
    if (moved.outcome === 'filed') return created;
    return { outcome: moved.outcome === 'bad-keywords' ? 'too-many' : 'no-folder' };
  }

  async deleteFolder(folder: FolderKey): Promise<FolderResult> {
    return this.#notifying(folder, deleteFolder(this.#mail, folder));
  }

  /** See `subscribe`. */
  async subscribe(mailbox: MailboxKey, name: string, subscribed: boolean): Promise<boolean> {
    return subscribe(this.#database, mailbox, name, subscribed);
  }

  /** See `subscribeShared`. */
  async subscribeShared(mailbox: MailboxKey, name: string, subscribed: boolean): Promise<boolean> {
    return subscribeShared(this.#database, mailbox, name, subscribed);
  }

  /** See `readSubscriptions`. */
  async subscriptions(mailbox: MailboxKey): Promise<string[]> {
    return readSubscriptions(this.#database, mailbox);
  }

  /** See `readCounts`. */
  async counts(mailbox: MailboxKey, asked: CountsQuery): Promise<Map<string, FolderCounts>> {
    return readCounts(this.#database, mailbox, asked);
  }

  /** The usage and quota of a mailbox; null if there is no such mailbox. */
  async quota(mailbox: MailboxKey): Promise<QuotaUse | null> {
    return (await readQuotas(this.#database, [mailbox])).get(mailbox.mailboxId) ?? null;
  }

  /** See `changeFlags`. */
  async flag(folder: FolderKey, ranges: readonly UidRange[], change: FlagChange): Promise<FlagResult> {
    const result = await changeFlags(this.#mail, folder, ranges, change, () =>
      this.#notifier.changed(folder),
    );
    if (result.outcome === 'flagged' && change.op !== 'remove')
      this.#noteValued(folder, change.flags, changedUids(result.messages));
    return result;
  }

  #noteValued(folder: FolderKey, flags: number, uids: readonly number[]): void {
    if ((flags & VALUED) !== 0 && uids.length > 0) this.#observer?.valued(folder, uids);
  }

  /** See `replaceMessage`. */
  async replace(folder: FolderKey, uid: number, message: NewMessage): Promise<ReplaceResult> {
    const result = await replaceMessage(this.#mail, folder, uid, message);
    if (result.outcome === 'stored') {
      this.#notifier.changed(folder);
      this.#noteStored([message], [result]);
    }
    return result;
  }

  /**
   * See `replaceWithin`. `ensureFolders` must have been called for the mailbox.
   * @returns the result, and a function to call after the commit
   */
  async replaceIn(
    tx: DatabaseTransaction,
    folder: FolderRequest,
    objectId: string,
    message: NewMessage | null,
  ): Promise<{ result: ReplacedWithin; committed(): void }> {
    const result = await replaceWithin(tx, folder, objectId, message);
    return {
      result,
      committed: () => {
        if (result.outcome === 'removed')
          this.#notifier.changed({ mailboxId: folder.mailboxId, folderId: result.folderId });
        if (result.outcome === 'stored' && message !== null) this.#noteStored([message], [result]);
      },
    };
  }

  /** See `flagWithin`. @returns a function to call after the commit */
  async flagIn(
    tx: DatabaseTransaction,
    mailbox: MailboxKey,
    objectId: string,
    added: Pick<FlagChange, 'flags' | 'keywords'>,
  ): Promise<() => void> {
    const changed = await flagWithin(tx, mailbox, objectId, added);
    return () => {
      for (const { folderId, uids } of changed) {
        this.#notifier.changed({ ...mailbox, folderId });
        this.#noteValued({ ...mailbox, folderId }, added.flags, uids);
      }
    };
  }

  /** See `copyMessages`. */
  async copy(folder: FolderKey, ranges: readonly UidRange[], target: FolderRef): Promise<FileResult> {
    const result = await copyMessages(this.#mail, folder, ranges, target, (folderId) =>
      this.#notifier.changed({ ...folder, folderId }),
    );
    this.#noteMoved(folder, result);
    return result;
  }

  /** See `moveMessages`. */
  async move(folder: FolderKey, ranges: readonly UidRange[], target: FolderRef): Promise<FileResult> {
    const result = await moveMessages(this.#mail, folder, ranges, target, (folderId) => {
      this.#notifier.changed(folder);
      this.#notifier.changed({ ...folder, folderId });
    });
    this.#noteMoved(folder, result);
    return result;
  }

  /** See `moveWithin`. @returns the result, and a function to call after the commit */
  async moveIn(
    tx: DatabaseTransaction,
    folder: FolderKey,
    ranges: readonly UidRange[],
    target: FolderRef,
    changed?: Parameters<typeof moveWithin>[4],
  ): Promise<{ result: FileResult; committed(): void }> {
    const result = await moveWithin(tx, folder, ranges, target, changed);
    return {
      result,
      committed: () => {
        if (result.outcome !== 'filed' || result.uids.length === 0) return;
        this.#notifier.changed(folder);
        this.#notifier.changed({ ...folder, folderId: result.folderId });
        this.#noteMoved(folder, result);
      },
    };
  }

  /** See `readOriginals`. */
  async originals(folder: FolderKey, ranges: readonly UidRange[], limit: number): Promise<OriginalMessage[]> {
    return readOriginals(this.#database, folder, ranges, limit);
  }

  /** See `moveAcross`. */
  async moveAcross(source: FolderKey, moved: readonly MovedMessage[]): Promise<MoveAcrossResult> {
    await this.ensureFolders(moved.map(({ message }) => message));
    const result = await moveAcross(this.#mail, source, moved);
    const [first] = moved;
    if (result.outcome !== 'moved' || result.uids.length === 0 || first === undefined) return result;
    this.#notifier.changed(source);
    const { projectId, mailboxId, folder } = first.message;
    if ('id' in folder) this.#notifier.changed({ mailboxId, folderId: folder.id });
    this.#indexer?.note({ projectId, mailboxId }, result.uids.length, 'added');
    return result;
  }

  #noteMoved({ projectId, mailboxId, folderId: fromFolderId }: FolderKey, result: FileResult): void {
    if (result.outcome !== 'filed' || result.uids.length === 0) return;
    const uids = result.uids.map(({ to }) => to);
    this.#observer?.moved({ projectId, mailboxId, fromFolderId, toFolderId: result.folderId, uids });
  }

  /** Deletes messages permanently. @returns the UIDs of the deleted messages; null if there is no such folder */
  async expunge(folder: FolderKey, which: Expunging): Promise<number[] | null> {
    const all: number[] = [];
    const batches = expunging(this.#mail, folder, which);
    for (let batch = await batches.next(); ; batch = await batches.next()) {
      if (batch.done === true) return batch.value === 'done' ? all : null;
      all.push(...batch.value);
      this.#notifier.changed(folder);
    }
  }

  /** See `expungeWithin`. @returns the UIDs, and a function to call after the commit */
  async expungeIn(
    tx: DatabaseTransaction,
    folder: FolderKey,
    uids: readonly number[],
  ): Promise<{ uids: number[]; committed(): void }> {
    const expunged = await expungeWithin(tx, folder, uids);
    return {
      uids: expunged,
      committed: () => {
        if (expunged.length > 0) this.#notifier.changed(folder);
      },
    };
  }

  /** See `readPage`. */
  async page(folder: FolderKey, before: number | null, limit: number): Promise<StoredMessage[]> {
    return readPage(this.#database, folder, before, limit);
  }

  /** See `readMessages`. */
  async messages(folder: FolderKey, ranges: readonly UidRange[]): Promise<StoredMessage[]> {
    return readMessages(this.#database, folder, ranges);
  }

  /** See `readFields`. */
  async fields(
    folder: FolderKey,
    ranges: readonly UidRange[],
    fields: readonly MessageField[],
  ): Promise<MessageFields> {
    return readFields(this.#database, folder, ranges, fields);
  }

  /** See `findDigests`. */
  async digestsIn(folder: FolderKey, digests: readonly string[]): Promise<Set<string>> {
    return findDigests(this.#database, folder, digests);
  }

  /** See `readStructures`. */
  async structures(folder: FolderKey, ranges: readonly UidRange[]): Promise<StoredStructure[]> {
    return readStructures(this.#database, folder, ranges);
  }

  /** See `readSnapshot`. */
  async snapshot(folder: FolderKey): Promise<FolderSnapshot | null> {
    return readSnapshot(this.#database, folder);
  }

  /** See `readFlags`. */
  async flags(folder: FolderKey, ranges: readonly UidRange[]): Promise<FlaggedMessage[]> {
    return readFlags(this.#database, folder, ranges);
  }

  /** See `takeRecent`. */
  async takeRecent(folder: FolderKey): Promise<UidRange | null> {
    return takeRecent(this.#database, folder);
  }

  /** See `readMaildrop`. */
  async maildrop(mailbox: MailboxKey): Promise<Maildrop | null> {
    await this.ensureFolders([mailbox]);
    return readMaildrop(this.#database, mailbox);
  }

  /** See `readUidls`. */
  async uidls(folder: FolderKey, range: UidRange): Promise<Map<number, string>> {
    return readUidls(this.#database, folder, range);
  }

  /** See `adoptUids`. */
  async adoptUids(folder: FolderKey, uids: SourceUids): Promise<boolean> {
    return adoptUids(this.#mail, folder, uids);
  }

  /** Adds older messages in a folder to the conversations, for at most `timeoutMs`. @returns false if older messages remain */
  async listOlder(folder: FolderKey, timeoutMs: number): Promise<boolean> {
    const endsAt = performance.now() + timeoutMs;
    for (;;) {
      const listed = await listSome(this.#mail, folder);
      if (listed === null || listed < LISTED_AT_A_TIME) return true;
      if (performance.now() > endsAt) return false;
    }
  }

  /** See `readChanges`. */
  async changesSince(folder: FolderKey, modseq: number): Promise<FolderChanges | null> {
    return readChanges(this.#database, folder, modseq);
  }

  /** Sends a notice after a folder has been created, renamed or deleted. */
  async #notifying(mailbox: MailboxKey, changing: Promise<FolderResult>): Promise<FolderResult> {
    const result = await changing;
    if (result.outcome === 'done') this.#notifier.changed({ ...mailbox, folderId: result.folderId });
    return result;
  }
}

function sizeOfHandOver(messages: readonly NewMessage[]): number {
  let size = messages.length * ROW_BYTES;
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
