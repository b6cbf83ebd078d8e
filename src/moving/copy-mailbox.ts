/**
 * Copies a mailbox from another server, in passes. A pass brings new messages, then changed flags, and last deletes copies of messages that
 * the source no longer has. A message that was moved on the source is therefore stored in its new folder before it leaves the old one.
 */
import { hash } from 'node:crypto';
import type { Blobs } from '../blobs/blobs.ts';
import type { PreparedBlob } from '../blobs/prepared-blob.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { retryingConflicts } from '../db/retry.ts';
import { AppError } from '../model/app-error.ts';
import { FOLDER_ROLES } from '../model/folder-roles.ts';
import { defaultUidl } from '../rfc/dovecot/uidlist.ts';
import type { NewMessage } from '../store/append.ts';
import type { FactsReader } from '../store/facts/facts-reader.ts';
import { fittingKeywords, FLAG } from '../store/flags.ts';
import { fittingFolderNames, normalFolderName } from '../store/folder-name.ts';
import { lockForWriting } from '../store/lock-for-writing.ts';
import type { Store } from '../store/store.ts';
import { rangesOf } from '../store/uid-ranges.ts';
import {
  type CopiedFolder,
  countCopies,
  findUnclaimed,
  finishCopying,
  forgetCopies,
  forgetFolder,
  type FoundMessage,
  type MessageCopy,
  readCopiedFolders,
  readCopies,
  readDeletable,
  readSourceUids,
  recordCopies,
  recordFlags,
  setAside,
  type SourceKey,
  startCopying,
  takeEarlier,
} from './copied-messages.ts';
import type {
  OpenedFolder,
  SourceFlags,
  SourceFolder,
  SourceMailbox,
  SourceMessage,
} from './source-mailbox.ts';
import { findOrCreateFolder, mailboxDeleted } from './target-folder.ts';

export interface CopyContext {
  database: Database;
  store: Store;
  blobs: Blobs;
  facts: FactsReader;
  /** The largest message to copy. */
  maxMessageOctets: number;
  /** Called with warnings and progress, each one line. May contain any characters of the source. */
  note: (line: string) => void;
}

export interface CopyOptions {
  /** Paths on the source that are not copied. */
  excluded: ReadonlySet<string>;
  /** Whether to report only what would be done. */
  isDryRun: boolean;
  /** Whether to delete copies even if most originals are gone. */
  deletesMany: boolean;
}

/** Counts are of messages unless they say otherwise. */
export interface CopyReport {
  folders: number;
  /** On the source, in copied folders. */
  messages: number;
  imported: number;
  importedOctets: number;
  /** Messages that were here already, with the same bytes in the same folder. */
  alreadyThere: number;
  flagsChanged: number;
  deleted: number;
  /** Copies whose originals are gone, but which were not deleted: there are too many, or their originals may only have moved. */
  notDeleted: number;
  /** Messages that are too large, or that the source did not send. Folders that cannot be read count with their messages if it tells. */
  leftOut: number;
  foldersLeftOut: number;
  withoutKeywords: number;
  /** Folders with the UIDVALIDITY and UIDs of the source. */
  foldersWithUids: number;
  /** Copies that the owner has moved or deleted here. */
  noLongerHere: number;
  /** In a dry run, how much the new messages exceed the free quota, in octets. */
  lackingOctets: number;
  renamed: { from: string; to: string }[];
}

/** UIDs per command. A command line with so many UIDs is shorter than 8,192 octets (RFC 9051, section 4). */
const CHUNK = 500;
/** A batch is in memory. It ends with the message that reaches one of these limits, in octets that were read: the source may declare less. */
const BATCH = 50;
const BATCH_OCTETS = 8 * 1024 * 1024;
const MB = 1024 * 1024;
const PROGRESS = 5_000;
/** Originals that may disappear at once even if they are half of all, but not more than are left. */
const FEW = 20;

/** Counts of what the mailbox has, which each pass and each attempt counts anew. */
function stateCounts() {
  return {
    folders: 0,
    messages: 0,
    notDeleted: 0,
    leftOut: 0,
    foldersLeftOut: 0,
    foldersWithUids: 0,
    noLongerHere: 0,
    lackingOctets: 0,
    renamed: [],
  };
}

export function newReport(): CopyReport {
  return {
    ...stateCounts(),
    imported: 0,
    importedOctets: 0,
    alreadyThere: 0,
    flagsChanged: 0,
    deleted: 0,
    withoutKeywords: 0,
  };
}

/**
 * Runs a pass.
 * @param report counts of what was done are added, also if the pass fails. So a pass can continue in another connection
 * @throws AppError if the mailbox is full or deleted
 */
export async function copyMailbox(
  context: CopyContext,
  source: SourceMailbox,
  key: SourceKey,
  options: CopyOptions,
  report: CopyReport,
): Promise<void> {
  Object.assign(report, stateCounts());
  await new MailboxCopy(context, source, key, options, report).run();
}

type FetchedMessage = SourceMessage & { raw: Buffer };
type ChangedCopy = MessageCopy & { now: SourceFlags };

interface DigestedMessage {
  from: FetchedMessage;
  /** SHA-256 of the bytes. */
  digest: Buffer;
}

interface PreparedMessage extends DigestedMessage {
  blob: PreparedBlob;
  facts: NewMessage['facts'];
}

/** Where the messages of a folder are copied to. */
interface Target {
  folder: SourceFolder;
  /** The name of the folder here. */
  name: string;
  opened: OpenedFolder;
  /** Null in a dry run if nothing was copied yet. */
  copied: CopiedFolder | null;
  hasUids: boolean;
  /** Whether the owner has deleted the folder here. Only new messages bring it back. */
  isDeleted: boolean;
  /** Whether the folder was to come back, but cannot be created. */
  isLeftOut: boolean;
}

/** A target with a folder here, or with one that the owner has deleted. */
type StartedTarget = Target & { copied: CopiedFolder };

class MailboxCopy {
  readonly #context: CopyContext;
  readonly #source: SourceMailbox;
  readonly #key: SourceKey;
  readonly #options: CopyOptions;
  /** The folders that were selected, by path. */
  readonly #read = new Map<string, OpenedFolder>();
  /** Folders that were read to their end, with the MODSEQ to record. They are complete if no message was left out. */
  readonly #finished: { copied: CopiedFolder; modseq: string | null; isComplete: boolean }[] = [];
  /** Copies whose originals are gone, as UIDs on the source. */
  readonly #gone: { copied: CopiedFolder; uids: number[] }[] = [];
  readonly #report: CopyReport;
  /** Messages that were left out only because they are too large. */
  #tooLarge = 0;

  constructor(
    context: CopyContext,
    source: SourceMailbox,
    key: SourceKey,
    options: CopyOptions,
    report: CopyReport,
  ) {
    this.#context = context;
    this.#source = source;
    this.#key = key;
    this.#options = options;
    this.#report = report;
  }

  async run(): Promise<void> {
    const { database, note } = this.#context;
    const { excluded } = this.#options;
    const { own: listed, foreign } = await this.#source.folders();
    for (const path of foreign) note(`Skipped the folder ${path}: it belongs to another user or is shared.`);
    const names = fittingFolderNames(listed.map(({ name }) => name));
    const known = new Map(
      (await readCopiedFolders(database, this.#key)).map((folder) => [folder.name, folder]),
    );
    for (const folder of listed) {
      if (excluded.has(folder.path)) continue;
      const name = folder.role === null ? (names.get(folder.name) ?? folder.name) : FOLDER_ROLES[folder.role];
      if (normalFolderName(folder.name) !== name) this.#report.renamed.push({ from: folder.path, to: name });
      await this.#copyFolder(folder, name, known.get(folder.path) ?? null);
    }
    const present = new Set([...listed.map(({ path }) => path), ...foreign, ...excluded]);
    const vanished = [...known.values()].filter(({ name }) => !present.has(name));
    for (const copied of vanished)
      this.#gone.push({ copied, uids: await readSourceUids(database, copied, 0) });
    if (this.#options.isDryRun) {
      this.#report.deleted = this.#gone.reduce((sum, { uids }) => sum + uids.length, 0);
      await this.#checkQuota();
      return;
    }
    const mayForget = await this.#deleteGone();
    for (const { copied, modseq, isComplete } of this.#finished) {
      await finishCopying(database, copied, mayForget ? modseq : null, isComplete);
      const { copies, here } = await countCopies(database, copied);
      this.#report.noLongerHere += copies - here;
    }
    if (mayForget) for (const copied of vanished) await forgetFolder(database, copied);
  }

  async #checkQuota(): Promise<void> {
    const { store, note } = this.#context;
    const use = await store.quota(this.#key);
    if (use === null) return;
    const free = Math.min(use.quotaOctets - use.octets, use.storageLeft ?? Number.POSITIVE_INFINITY);
    this.#report.lackingOctets = Math.max(0, this.#report.importedOctets - free);
    const [needed, has] = [this.#report.importedOctets, free].map((octets) => Math.ceil(octets / MB));
    if (this.#report.lackingOctets > 0)
      note(
        `The messages need ${needed} MB, and the mailbox has ${has} MB left. Raise its quota, or the plan of the project.`,
      );
  }

  async #copyFolder(folder: SourceFolder, name: string, known: CopiedFolder | null): Promise<void> {
    const report = this.#report;
    const { note } = this.#context;
    const opened = await this.#source.select(folder.path);
    if (opened === null) {
      report.foldersLeftOut += 1;
      note(`Skipped the folder ${folder.path}: the old server does not let the user read it.`);
      return;
    }
    this.#read.set(folder.path, opened);
    report.folders += 1;
    report.messages += opened.messages;
    const target = await this.#targetOf(folder, name, known, opened);
    if (target === null) return;
    if (target.hasUids) report.foldersWithUids += 1;
    if (await this.#isUnchanged(target)) return;
    const before = report.leftOut + report.foldersLeftOut;
    await this.#copyMessages(target);
    const { copied } = target;
    if (copied === null) return;
    const isComplete = report.leftOut + report.foldersLeftOut === before;
    this.#finished.push({ copied, modseq: isComplete ? opened.modseq : null, isComplete });
  }

  /** Whether the last pass has copied everything in the folder. */
  async #isUnchanged(target: Target): Promise<boolean> {
    if (!isStarted(target)) return false;
    const { uidNext, modseq, messages } = target.opened;
    const isRestored = !this.#options.isDryRun && (await this.#setAside(target, uidNext - 1));
    if (modseq === null || target.copied.modseq !== modseq || isRestored) return false;
    const { copies } = await countCopies(this.#context.database, target.copied);
    if (copies !== messages) return false;
    this.#finished.push({ copied: target.copied, modseq, isComplete: true });
    return true;
  }

  /**
   * Stops to treat the messages with UIDs above `after` as copies, because the source was restored from a backup and gives these UIDs to
   * other messages. The copies may be all that remains of the earlier ones, so they are not deleted.
   * @returns whether there are any
   */
  async #setAside(target: StartedTarget, after: number): Promise<boolean> {
    const { database, note } = this.#context;
    const copies = await setAside(database, target.copied, after);
    if (copies === 0) return false;
    target.copied = { ...target.copied, hasEarlier: true };
    note(
      `The folder ${target.folder.path} was restored from a backup: UIDs above ${after} belong to other messages than before. The copies of the ${copies} earlier messages stay here.`,
    );
    return true;
  }

  /**
   * Finds or creates the folder here.
   * @returns null if it cannot be created
   */
  async #targetOf(
    folder: SourceFolder,
    name: string,
    known: CopiedFolder | null,
    opened: OpenedFolder,
  ): Promise<Target | null> {
    const { store, database } = this.#context;
    const target = {
      folder,
      name,
      opened,
      copied: known,
      hasUids: false,
      isDeleted: false,
      isLeftOut: false,
    };
    const folders = await store.folders(this.#key);
    const isGone = known !== null && !folders.some(({ id }) => id === known.folderId);
    if (known?.uidValidity === opened.uidValidity)
      return { ...target, hasUids: known.keepsUids && !isGone, isDeleted: isGone };
    const existing = existingFolder(folders, folder, name);
    const isDeleted = isGone && existing === undefined;
    if (this.#options.isDryRun) {
      const hasUids = !isDeleted && (existing === undefined || existing.uidNext === 1);
      return { ...target, copied: null, hasUids, isDeleted };
    }
    if (isDeleted) {
      const { uidValidity } = opened;
      const start = { name: folder.path, uidValidity, folderId: known.folderId, keepsUids: false };
      return { ...target, copied: await startCopying(database, this.#key, start), isDeleted };
    }
    if (!(await this.#start(target))) return null;
    return { ...target, hasUids: target.copied?.keepsUids === true };
  }

  /** Finds or creates the folder here, and begins to copy into it. @returns false if it cannot be created */
  async #start(target: Target): Promise<boolean> {
    const { store, database } = this.#context;
    const { folder, name, opened } = target;
    const { uidValidity, uidNext } = opened;
    const modseq = opened.modseq === null ? null : Number(opened.modseq);
    const existing = existingFolder(await store.folders(this.#key), folder, name);
    const found =
      existing === undefined
        ? await findOrCreateFolder(store, this.#key, { name, subscribed: folder.isSubscribed })
        : { folderId: existing.id };
    if ('refusal' in found) {
      this.#leaveOutFolder(folder, opened.messages, found.refusal);
      return false;
    }
    const { folderId } = found;
    const keepsUids = await store.adoptUids({ ...this.#key, folderId }, { uidValidity, uidNext, modseq });
    const start = { name: folder.path, uidValidity, folderId, keepsUids };
    target.copied = await startCopying(database, this.#key, start);
    return true;
  }

  #leaveOutFolder({ path }: SourceFolder, messages: number, reason: string): void {
    this.#report.foldersLeftOut += 1;
    this.#report.leftOut += messages;
    this.#context.note(`Skipped the folder ${path} with ${messages} messages: ${reason}.`);
  }

  async #copyMessages(target: Target): Promise<void> {
    const { database, note } = this.#context;
    const { folder, opened } = target;
    const all = await this.#source.uids();
    this.#report.messages += all.length - opened.messages;
    let gone: number[] = [];
    let last = 0;
    let lastSame = 0;
    for (let at = 0; at < all.length; at += CHUNK) {
      const uids = all.slice(at, at + CHUNK);
      const end = uids.at(-1) ?? last;
      let copies = await this.#copiesBetween(target, last + 1, end);
      const described = await this.#source.describe(uids);
      const replaced = this.#options.isDryRun ? null : await this.#firstReplaced(copies, described);
      const isStillSame = (message: SourceMessage) => isSameOriginal(copies.get(message.uid), message);
      const known = described.filter(({ uid }) => replaced === null || uid < replaced);
      lastSame = known.findLast(isStillSame)?.uid ?? lastSame;
      if (replaced !== null && isStarted(target)) {
        await this.#setAside(target, lastSame);
        copies = await this.#copiesBetween(target, last + 1, end);
        gone = gone.filter((uid) => uid <= lastSame);
      }
      const listed = new Set(uids);
      for (const uid of copies.keys()) if (!listed.has(uid)) gone.push(uid);
      const changed: ChangedCopy[] = [];
      const added: SourceMessage[] = [];
      for (const message of described) {
        listed.delete(message.uid);
        const before = copies.get(message.uid);
        if (before === undefined || !isSameOriginal(before, message)) added.push(message);
        else if (!hasSameFlags(before, message)) changed.push({ ...before, now: message });
      }
      for (const uid of listed) if (!copies.has(uid)) this.#leaveOut(folder, uid);
      if (!isStarted(target) || this.#options.isDryRun) this.#countMessages(folder, added, changed);
      else {
        for await (const matched of this.#addMessages(target, added)) changed.push(matched);
        await this.#changeFlags(target.copied, changed);
      }
      last = end;
      if ((at + CHUNK) % PROGRESS === 0) note(`${folder.path}: ${at + CHUNK} of ${all.length} messages`);
    }
    if (target.copied === null) return;
    for (const uid of await readSourceUids(database, target.copied, last)) gone.push(uid);
    if (gone.length > 0) this.#gone.push({ copied: target.copied, uids: gone });
  }

  /** The copies by UID on the source, ascending. */
  async #copiesBetween(
    { copied, isDeleted }: Target,
    first: number,
    last: number,
  ): Promise<Map<number, MessageCopy>> {
    const copies = copied === null ? [] : await readCopies(this.#context.database, copied, first, last);
    return new Map(copies.map((copy) => [copy.sourceUid, isDeleted ? { ...copy, uid: null } : copy]));
  }

  /**
   * Finds the first message that is another one than was copied under its UID: the source was restored from a backup. The same bytes with
   * another size or date are not another message.
   * @returns its UID, or null
   */
  async #firstReplaced(
    copies: ReadonlyMap<number, MessageCopy>,
    described: readonly SourceMessage[],
  ): Promise<number | null> {
    const suspects = described.filter(
      (message) => copies.has(message.uid) && !isSameOriginal(copies.get(message.uid), message),
    );
    if (suspects.length === 0) return null;
    const { maxMessageOctets } = this.#context;
    const replaced = suspects
      .filter(({ uid, size }) => size > maxMessageOctets && size !== copies.get(uid)?.size)
      .map(({ uid }) => uid);
    const readable = suspects.filter(({ size }) => size <= maxMessageOctets).map(({ uid }) => uid);
    if (readable.length > 0)
      for await (const { uid, raw } of this.#source.read(readable))
        if (raw.length > 0 && copies.get(uid)?.digest.equals(hash('sha256', raw, 'buffer')) !== true)
          replaced.push(uid);
    return replaced.length === 0 ? null : Math.min(...replaced);
  }

  #leaveOut({ path }: SourceFolder, uid: number): void {
    this.#report.leftOut += 1;
    this.#context.note(
      `Skipped message ${uid} of ${path}: it was deleted in the meantime, or the old server did not send it.`,
    );
  }

  /** Counts what a pass would do, for a dry run. */
  #countMessages(
    folder: SourceFolder,
    added: readonly SourceMessage[],
    changed: readonly ChangedCopy[],
  ): void {
    this.#report.flagsChanged += changed.length;
    for (const message of added.filter((each) => this.#fits(folder, each))) {
      this.#report.imported += 1;
      this.#report.importedOctets += message.size;
      if (fittingKeywords([], message.keywords).leftOut.length > 0) this.#report.withoutKeywords += 1;
    }
  }

  #fits({ path }: SourceFolder, { uid, size }: SourceMessage): boolean {
    const { maxMessageOctets, note } = this.#context;
    if (size <= maxMessageOctets) return true;
    this.#report.leftOut += 1;
    this.#tooLarge += 1;
    note(
      `Skipped message ${uid} of ${path}: it is larger than ${maxMessageOctets / MB} MB (POSTHORN_MAX_IMPORT_MB).`,
    );
    return false;
  }

  /** @yields copies that were here before, whose flags may differ */
  async *#addMessages(
    target: StartedTarget,
    added: readonly SourceMessage[],
  ): AsyncGenerator<ChangedCopy, void, undefined> {
    let batch: SourceMessage[] = [];
    let octets = 0;
    for (const message of added) {
      if (!this.#fits(target.folder, message)) continue;
      batch.push(message);
      octets += message.size;
      if (batch.length < BATCH && octets < BATCH_OCTETS) continue;
      yield* await this.#addBatch(target, batch);
      batch = [];
      octets = 0;
    }
    if (batch.length > 0) yield* await this.#addBatch(target, batch);
  }

  async #addBatch(target: StartedTarget, batch: readonly SourceMessage[]): Promise<ChangedCopy[]> {
    // Its messages were counted when it was left out.
    if (target.isLeftOut) return [];
    const missing = new Map(batch.map((message) => [message.uid, message]));
    const matched: ChangedCopy[] = [];
    let fetched: FetchedMessage[] = [];
    let octets = 0;
    for await (const { uid, raw } of this.#source.read([...missing.keys()])) {
      const message = missing.get(uid);
      if (message === undefined || raw.length === 0) continue;
      missing.delete(uid);
      fetched.push({ ...message, raw });
      octets += raw.length;
      if (octets < BATCH_OCTETS) continue;
      matched.push(...(await this.#addFetched(target, fetched)));
      fetched = [];
      octets = 0;
    }
    matched.push(...(await this.#addFetched(target, fetched)));
    for (const uid of missing.keys()) this.#leaveOut(target.folder, uid);
    return matched;
  }

  async #addFetched(target: StartedTarget, fetched: FetchedMessage[]): Promise<ChangedCopy[]> {
    const { blobs, facts } = this.#context;
    // The UIDs of the source are kept only in ascending order.
    fetched.sort((a, b) => a.uid - b.uid);
    const digested = fetched.map((from) => ({ from, digest: hash('sha256', from.raw, 'buffer') }));
    // Before large messages are written as objects, because those that are here already need none.
    const { matched, rest } = await this.#recordMatches(target, digested);
    if (rest.length === 0 || target.isLeftOut) return matched;
    if (target.isDeleted) {
      if (!(await this.#start(target))) {
        target.isLeftOut = true;
        return matched;
      }
      target.isDeleted = false;
    }
    const prepared: PreparedMessage[] = [];
    for (const message of rest) {
      const { raw } = message.from;
      prepared.push({
        ...message,
        blob: await blobs.prepare(this.#key.projectId, raw, message.digest),
        facts: await facts.read(raw),
      });
    }
    return [...matched, ...(await this.#storeBatch(target, prepared))];
  }

  /** Runs a transaction on the locked mailbox, and again after a conflict. */
  #transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
    return retryingConflicts(() =>
      this.#context.database.transaction().execute(async (tx) => {
        if (!(await lockForWriting(tx, this.#key))) throw mailboxDeleted();
        return work(tx);
      }),
    );
  }

  /** Records which messages are here already, or were before. @returns also the others */
  async #recordMatches(
    { copied, isDeleted }: StartedTarget,
    digested: readonly DigestedMessage[],
  ): Promise<Matches<DigestedMessage>> {
    if (digested.length === 0) return { matched: [], rest: [] };
    const result = await this.#transaction(async (tx) => {
      if (!isDeleted) return recordHere(tx, copied, digested);
      const { matched, rest } = await matchCopies(tx, copied, digested);
      const withoutFolder = matched.map((copy) => ({ ...copy, uid: null }));
      if (matched.length > 0) await recordCopies(tx, copied, withoutFolder);
      return { matched: withoutFolder, rest };
    });
    this.#report.alreadyThere += result.matched.length;
    return result;
  }

  /** Stores messages and records them as copies, in one transaction. */
  async #storeBatch(
    { folder, copied }: StartedTarget,
    prepared: readonly PreparedMessage[],
  ): Promise<ChangedCopy[]> {
    const { store, blobs, note } = this.#context;
    const stored = await this.#transaction(async (tx) => {
      // Another process may have stored some of them since `#recordMatches`.
      const { matched, rest } = await recordHere(tx, copied, prepared);
      const appended = await store.appendIn(
        tx,
        rest.map((message) => this.#newMessage(folder, copied, message)),
      );
      const copies = appended.results.flatMap((result, at): MessageCopy[] => {
        const message = rest[at];
        if (result.outcome !== 'stored' || message === undefined) return [];
        const { flags, keywords } = message.from;
        return [copyOf(message, { uid: result.uid, flags, keywords, isClaimed: false })];
      });
      if (copies.length > 0) await recordCopies(tx, copied, copies);
      return { matched, rest, ...appended };
    });
    stored.committed();
    const written = new Set(stored.rest.filter((_, at) => stored.results[at]?.outcome === 'stored'));
    for (const message of prepared)
      if (!written.has(message)) await blobs.discard(message.blob).catch(() => {});
    this.#report.alreadyThere += stored.matched.length;
    for (const [at, result] of stored.results.entries()) {
      const from = stored.rest[at]?.from;
      if (result.outcome === 'over-quota' || result.outcome === 'over-storage') throw tooFull(result.outcome);
      if (result.outcome !== 'stored')
        throw new Error(`The folder ${folder.path} cannot be stored: ${result.outcome}`);
      this.#report.imported += 1;
      this.#report.importedOctets += from?.raw.length ?? 0;
      if (result.leftOutKeywords.length === 0) continue;
      this.#report.withoutKeywords += 1;
      note(
        `Copied message ${from?.uid} of ${folder.path} without the keywords ${result.leftOutKeywords.join(' ')}: they are invalid or too many.`,
      );
    }
    return stored.matched;
  }

  #newMessage(
    { role }: SourceFolder,
    { folderId, keepsUids, uidValidity }: CopiedFolder,
    { from: { uid, flags, keywords, internalDate }, blob, facts }: PreparedMessage,
  ): NewMessage {
    return {
      ...this.#key,
      folder: { id: folderId },
      blob,
      facts,
      flags,
      keywords,
      internalDate,
      authentication: null,
      spam: null,
      ...(keepsUids && { uid }),
      ...(role === 'inbox' && this.#source.isDovecot && { uidl: defaultUidl(uid, uidValidity) }),
    };
  }

  /**
   * Makes the changes that were made on the source. Flags that were changed only here stay as they are. Messages that were here before are
   * not marked as deleted, because they may be the owner's.
   */
  async #changeFlags(copied: CopiedFolder, changed: readonly ChangedCopy[]): Promise<void> {
    if (changed.length === 0) return;
    const { database, store } = this.#context;
    const folder = { ...this.#key, folderId: copied.folderId };
    const here = changed.filter((copy) => copy.uid !== null);
    const alike = Map.groupBy(here, ({ flags, keywords, now, isClaimed }) =>
      JSON.stringify([flags, keywords, now.flags, now.keywords, isClaimed]),
    );
    for (const group of alike.values()) {
      const [{ flags, keywords, now, isClaimed }] = group as [ChangedCopy];
      const ranges = rangesOf(group.flatMap(({ uid }) => uid ?? []));
      const carried = isClaimed ? ~FLAG.deleted : ~0;
      const removed = {
        op: 'remove' as const,
        flags: flags & ~now.flags & carried,
        keywords: await this.#fitting(
          copied,
          keywords.filter((keyword) => !now.keywords.includes(keyword)),
        ),
      };
      const added = {
        op: 'add' as const,
        flags: now.flags & ~flags & carried,
        keywords: await this.#fitting(
          copied,
          now.keywords.filter((keyword) => !keywords.includes(keyword)),
        ),
      };
      const changes = [removed, added].filter((change) => change.flags !== 0 || change.keywords.length > 0);
      for (const change of changes) {
        const result = await store.flag(folder, ranges, change);
        if (result.outcome === 'flagged' || result.outcome === 'no-folder') continue;
        // The messages have too many keywords with those that were added here.
        await store.flag(folder, ranges, { ...change, keywords: [] });
        this.#report.withoutKeywords += group.length;
      }
      if (changes.length > 0) this.#report.flagsChanged += group.length;
    }
    await recordFlags(
      database,
      copied,
      changed.map(({ sourceUid, now: { flags, keywords } }) => ({ sourceUid, flags, keywords })),
    );
  }

  /** The keywords that messages in the folder can have. */
  async #fitting({ folderId }: CopiedFolder, keywords: readonly string[]): Promise<string[]> {
    if (keywords.length === 0) return [];
    const folder = (await this.#context.store.folders(this.#key)).find(({ id }) => id === folderId);
    return fittingKeywords(folder?.keywords ?? [], keywords).keywords;
  }

  /** @returns false if nothing was deleted, although originals are gone */
  async #deleteGone(): Promise<boolean> {
    const { store, note, maxMessageOctets } = this.#context;
    const gone = this.#gone.reduce((sum, { uids }) => sum + uids.length, 0);
    const { messages, imported, leftOut, foldersLeftOut } = this.#report;
    if (gone === 0) return true;
    // A message that was moved on the source may be among those that were left out. Then its copy here is the only one.
    if (leftOut - this.#tooLarge + foldersLeftOut > 0) {
      this.#report.notDeleted = gone;
      note(
        `${gone} messages that were copied before are no longer on the old server. They are not deleted here, because other messages were left out. Correct the causes named above, exclude folders that cannot be copied, and run the command again.`,
      );
      return false;
    }
    // Attack, or mistake: a source that is empty, restored or the wrong one must not empty the mailbox here.
    const isMany = gone > FEW || gone > messages;
    if (!this.#options.deletesMany && isMany && gone > imported + messages / 2) {
      this.#report.notDeleted = gone;
      note(
        `${gone} messages that were copied before are no longer on the old server. They are not deleted here. If this is right, use --delete-many.`,
      );
      return false;
    }
    const change = await this.#changeSinceRead();
    if (change !== null) {
      this.#report.notDeleted = gone;
      note(
        `${gone} messages that were copied before are no longer where they were on the old server. They are not deleted here, because they were perhaps moved during this pass: ${change}. Run the command again.`,
      );
      return false;
    }
    for (const { copied, uids } of this.#gone) {
      const folder = { ...this.#key, folderId: copied.folderId };
      for (let at = 0; at < uids.length; at += CHUNK) {
        const some = uids.slice(at, at + CHUNK);
        const { uids: expunged, committed } = await this.#transaction(async (tx) => {
          // Under the lock, because another source may take over one of these copies at any moment.
          const result = await store.expungeIn(
            tx,
            folder,
            await readDeletable(tx, copied, some, maxMessageOctets),
          );
          await forgetCopies(tx, copied, some);
          return result;
        });
        committed();
        this.#report.deleted += expunged.length;
      }
    }
    return true;
  }

  /**
   * Compares the source with what was read. A message that was moved in the meantime, from a folder that was read later into one that was
   * read earlier, looks deleted.
   * @returns what changed, or null. A lost connection is an error, because a source that is not asked looks like one without changes
   */
  async #changeSinceRead(): Promise<string | null> {
    const { own } = await this.#source.folders();
    const paths = new Set(own.map(({ path }) => path));
    for (const path of paths)
      if (!this.#read.has(path) && !this.#options.excluded.has(path)) return `the folder ${path} is new`;
    for (const [path, before] of this.#read) {
      const now = paths.has(path) ? await this.#source.select(path) : null;
      if (now === null) return `the folder ${path} was deleted or renamed`;
      if (now.uidValidity !== before.uidValidity) return `the folder ${path} was created again`;
      if (now.uidNext !== before.uidNext) return `the folder ${path} has new messages`;
    }
    return null;
  }
}

function existingFolder<Folder extends { name: string; role: string | null }>(
  folders: readonly Folder[],
  { role }: SourceFolder,
  name: string,
): Folder | undefined {
  return folders.find((each) => (role === null ? each.name === name : each.role === role));
}

function isStarted(target: Target): target is StartedTarget {
  return target.copied !== null;
}

interface Matches<Message> {
  /** Copies that are here already, whose flags may differ. */
  matched: ChangedCopy[];
  /** Messages to store. */
  rest: Message[];
}

/** Records which messages the folder has already, copied in this way or another. @returns also the others */
async function recordHere<Message extends DigestedMessage>(
  tx: DatabaseTransaction,
  copied: CopiedFolder,
  messages: readonly Message[],
): Promise<Matches<Message>> {
  const { matched, rest: unmatched } = await matchCopies(tx, copied, messages);
  const unclaimed = await findUnclaimed(
    tx,
    copied,
    unmatched.map(({ digest }) => digest),
  );
  const rest = unmatched.filter((message) => {
    const found = takeFound(unclaimed, message);
    if (found !== undefined) matched.push({ ...copyOf(message, found), now: message.from });
    return found === undefined;
  });
  if (matched.length > 0) await recordCopies(tx, copied, matched);
  return { matched, rest };
}

/**
 * Finds messages that were copied before: under the same UID with another size or date, or under an earlier UIDVALIDITY. Leaves out those
 * that another process has copied in the meantime.
 */
async function matchCopies<Message extends DigestedMessage>(
  tx: DatabaseTransaction,
  copied: CopiedFolder,
  messages: readonly Message[],
): Promise<Matches<Message>> {
  const [first = 0, last = 0] = [messages[0]?.from.uid, messages.at(-1)?.from.uid];
  const before = new Map((await readCopies(tx, copied, first, last)).map((copy) => [copy.sourceUid, copy]));
  const added = messages.filter(({ from }) => !isSameOriginal(before.get(from.uid), from));
  const isDated = ({ from, digest }: DigestedMessage) => before.get(from.uid)?.digest.equals(digest) === true;
  const earlier = await takeEarlier(
    tx,
    copied,
    added.filter((message) => !isDated(message)).map(({ digest }) => digest),
  );
  const matched: ChangedCopy[] = [];
  const rest = added.filter((message) => {
    const found = isDated(message) ? before.get(message.from.uid) : takeFound(earlier, message);
    if (found !== undefined) matched.push({ ...copyOf(message, found), now: message.from });
    return found === undefined;
  });
  return { matched, rest };
}

/** @param found by digests in hexadecimal */
function takeFound(
  found: ReadonlyMap<string, FoundMessage[]>,
  { digest }: DigestedMessage,
): FoundMessage | undefined {
  return found.get(digest.toString('hex'))?.shift();
}

function copyOf(
  { from: { uid: sourceUid, size, internalDate }, digest }: DigestedMessage,
  { uid, flags, keywords, isClaimed }: FoundMessage,
): MessageCopy {
  return { sourceUid, size, internalDate, digest, uid, flags, keywords, isClaimed };
}

/** Whether a UID still means the same message. A server that was restored from a backup gives its UIDs again. */
function isSameOriginal(copy: MessageCopy | undefined, { size, internalDate }: SourceMessage): boolean {
  if (copy === undefined) return false;
  const [before, now] = [copy.internalDate, internalDate];
  return (
    copy.size === size &&
    (before === null ||
      now === null ||
      Math.floor(before.getTime() / 1_000) === Math.floor(now.getTime() / 1_000))
  );
}

function hasSameFlags(a: SourceFlags, b: SourceFlags): boolean {
  return a.flags === b.flags && a.keywords.join(' ') === b.keywords.join(' ');
}

function tooFull(outcome: 'over-quota' | 'over-storage'): AppError {
  return new AppError(
    'plan-limit-exceeded',
    `${outcome === 'over-quota' ? 'The mailbox is full' : "The project's storage is used up"}. Raise its limit and run the command again: nothing is copied twice.`,
  );
}
