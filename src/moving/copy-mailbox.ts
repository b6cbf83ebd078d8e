/**
 * Copies a mailbox from another server, in passes. A pass brings new messages, then changed flags, and last deletes copies of messages that
 * the source no longer has. A message that was moved on the source is therefore stored in its new folder before it leaves the old one.
 */
import type { Blobs } from '../blobs/blobs.ts';
import type { Database } from '../db/database.ts';
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
  claimFrom,
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
  /** Copies whose originals are gone, but which were not deleted because there are too many, or because messages were left out. */
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

/** Where the messages of a folder are copied to. */
interface Target {
  /** Null in a dry run if nothing was copied yet. */
  copied: CopiedFolder | null;
  hasUids: boolean;
  /** Whether the owner has deleted the folder here. Only new messages bring it back. */
  isDeleted: boolean;
}

class MailboxCopy {
  readonly #context: CopyContext;
  readonly #source: SourceMailbox;
  readonly #key: SourceKey;
  readonly #options: CopyOptions;
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
    const { database } = this.#context;
    const { excluded } = this.#options;
    const listed = await this.#source.folders();
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
    const paths = new Set(listed.map(({ path }) => path));
    const vanished = [...known.values()].filter(({ name }) => !paths.has(name) && !excluded.has(name));
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
    report.folders += 1;
    report.messages += opened.messages;
    const target = await this.#targetOf(folder, name, known, opened);
    if (target === null) {
      this.#leaveOutFolder(folder, opened.messages);
      return;
    }
    const { copied, hasUids } = target;
    if (hasUids) report.foldersWithUids += 1;
    if (await this.#isUnchanged(folder, copied, opened)) return;
    const before = report.leftOut + report.foldersLeftOut;
    const filled = await this.#copyMessages(folder, name, target, opened);
    if (filled === null) return;
    const isComplete = report.leftOut + report.foldersLeftOut === before;
    this.#finished.push({ copied: filled, modseq: isComplete ? opened.modseq : null, isComplete });
  }

  #leaveOutFolder({ path }: SourceFolder, messages: number): void {
    this.#report.foldersLeftOut += 1;
    this.#report.leftOut += messages;
    this.#context.note(
      `Skipped the folder ${path} with ${messages} messages: the mailbox has too many folders.`,
    );
  }

  /** Whether the last pass has copied everything in the folder. */
  async #isUnchanged(
    { path }: SourceFolder,
    copied: CopiedFolder | null,
    { uidNext, modseq, messages }: OpenedFolder,
  ): Promise<boolean> {
    if (copied === null) return false;
    const { database, note } = this.#context;
    // The source gives these UIDs to other messages. The copies may be all that remains of the earlier ones.
    const claimed = uidNext >= 1 && !this.#options.isDryRun ? await claimFrom(database, copied, uidNext) : 0;
    if (claimed > 0)
      note(
        `The folder ${path} was restored from a backup: its next UID is ${uidNext}, but ${claimed} messages with this UID or higher ones were copied before. They stay here.`,
      );
    if (modseq === null || copied.modseq !== modseq || claimed > 0) return false;
    const { copies } = await countCopies(database, copied);
    if (copies !== messages) return false;
    this.#finished.push({ copied, modseq, isComplete: true });
    return true;
  }

  /**
   * Finds or creates the folder here.
   * @returns null if the mailbox has too many folders
   */
  async #targetOf(
    folder: SourceFolder,
    name: string,
    known: CopiedFolder | null,
    opened: OpenedFolder,
  ): Promise<Target | null> {
    const folders = await this.#context.store.folders(this.#key);
    if (known?.uidValidity === opened.uidValidity) {
      const isDeleted = !folders.some(({ id }) => id === known.folderId);
      return { copied: known, hasUids: known.keepsUids && !isDeleted, isDeleted };
    }
    if (this.#options.isDryRun) {
      const existing = existingFolder(folders, folder, name);
      return {
        copied: null,
        hasUids: existing === undefined || existing.uidNext === 1,
        isDeleted: false,
      };
    }
    const copied = await this.#start(folder, name, opened);
    return copied === null ? null : { copied, hasUids: copied.keepsUids, isDeleted: false };
  }

  /** @returns null if the mailbox has too many folders */
  async #start(
    folder: SourceFolder,
    name: string,
    { uidValidity, uidNext }: OpenedFolder,
  ): Promise<CopiedFolder | null> {
    const { store, database } = this.#context;
    const existing = existingFolder(await store.folders(this.#key), folder, name);
    const folderId = existing?.id ?? (await this.#createFolder(name, folder.isSubscribed));
    if (folderId === null) return null;
    const keepsUids = await store.adoptUids({ ...this.#key, folderId }, { uidValidity, uidNext });
    return startCopying(database, this.#key, { name: folder.path, uidValidity, folderId, keepsUids });
  }

  async #createFolder(name: string, subscribed: boolean): Promise<string | null> {
    const created = await this.#context.store.createFolder(this.#key, { name, subscribed });
    return created.outcome === 'done' ? created.folderId : null;
  }

  /** @returns the folder that has the copies now; null in a dry run if nothing was copied yet */
  async #copyMessages(
    folder: SourceFolder,
    name: string,
    target: Target,
    opened: OpenedFolder,
  ): Promise<CopiedFolder | null> {
    const { database, note, maxMessageOctets } = this.#context;
    let { copied, isDeleted } = target;
    const all = await this.#source.uids();
    this.#report.messages += all.length - opened.messages;
    const gone: number[] = [];
    let last = 0;
    for (let at = 0; at < all.length; at += CHUNK) {
      const uids = all.slice(at, at + CHUNK);
      const end = uids.at(-1) ?? last;
      const copies = copied === null ? [] : await readCopies(database, copied, last + 1, end);
      const bySourceUid = new Map(
        copies.map((each) => [each.sourceUid, isDeleted ? { ...each, uid: null } : each]),
      );
      const listed = new Set(uids);
      for (const { sourceUid } of copies) if (!listed.has(sourceUid)) gone.push(sourceUid);
      const changed: ChangedCopy[] = [];
      const added: SourceMessage[] = [];
      for (const message of await this.#source.describe(uids)) {
        listed.delete(message.uid);
        const before = bySourceUid.get(message.uid);
        if (before === undefined || !isSameOriginal(before, message)) added.push(message);
        else if (!hasSameFlags(before, message)) changed.push({ ...before, now: message });
      }
      for (const uid of listed) if (!bySourceUid.has(uid)) this.#leaveOut(folder, uid);
      if (copied === null || this.#options.isDryRun) this.#countMessages(folder, added, changed);
      else {
        if (isDeleted && added.some(({ size }) => size <= maxMessageOctets)) {
          const started = await this.#start(folder, name, opened);
          if (started === null) {
            this.#leaveOutFolder(folder, all.length - at);
            return null;
          }
          copied = started;
          isDeleted = false;
        }
        for await (const matched of this.#addMessages(folder, copied, added)) changed.push(matched);
        await this.#changeFlags(copied, changed);
      }
      last = end;
      if ((at + CHUNK) % PROGRESS === 0) note(`${folder.path}: ${at + CHUNK} of ${all.length} messages`);
    }
    if (copied === null) return null;
    for (const uid of await readSourceUids(database, copied, last)) gone.push(uid);
    if (gone.length > 0) this.#gone.push({ copied, uids: gone });
    return copied;
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
    folder: SourceFolder,
    copied: CopiedFolder,
    added: readonly SourceMessage[],
  ): AsyncGenerator<ChangedCopy, void, undefined> {
    let batch: SourceMessage[] = [];
    let octets = 0;
    for (const message of added) {
      if (!this.#fits(folder, message)) continue;
      batch.push(message);
      octets += message.size;
      if (batch.length < BATCH && octets < BATCH_OCTETS) continue;
      yield* await this.#addBatch(folder, copied, batch);
      batch = [];
      octets = 0;
    }
    if (batch.length > 0) yield* await this.#addBatch(folder, copied, batch);
  }

  async #addBatch(
    folder: SourceFolder,
    copied: CopiedFolder,
    batch: readonly SourceMessage[],
  ): Promise<ChangedCopy[]> {
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
      matched.push(...(await this.#addFetched(folder, copied, fetched)));
      fetched = [];
      octets = 0;
    }
    matched.push(...(await this.#addFetched(folder, copied, fetched)));
    for (const uid of missing.keys()) this.#leaveOut(folder, uid);
    return matched;
  }

  async #addFetched(
    folder: SourceFolder,
    copied: CopiedFolder,
    fetched: FetchedMessage[],
  ): Promise<ChangedCopy[]> {
    const { blobs, facts } = this.#context;
    // The UIDs of the source are kept only in ascending order.
    fetched.sort((a, b) => a.uid - b.uid);
    const messages: NewMessage[] = [];
    for (const message of fetched)
      messages.push({
        ...this.#key,
        folder: { id: copied.folderId },
        blob: await blobs.prepare(this.#key.projectId, message.raw),
        facts: await facts.read(message.raw),
        flags: message.flags,
        keywords: message.keywords,
        internalDate: message.internalDate,
        authentication: null,
        spam: null,
        ...(copied.keepsUids && { uid: message.uid }),
        ...(folder.role === 'inbox' &&
          this.#source.isDovecot && { uidl: defaultUidl(message.uid, copied.uidValidity) }),
      });
    return this.#storeBatch(folder, copied, fetched, messages);
  }

  /** Stores messages and records them as copies, in one transaction. @param messages one for each of `fetched` */
  async #storeBatch(
    folder: SourceFolder,
    copied: CopiedFolder,
    fetched: readonly FetchedMessage[],
    messages: readonly NewMessage[],
  ): Promise<ChangedCopy[]> {
    const { database, store, note } = this.#context;
    const [first, last] = [fetched[0]?.uid, fetched.at(-1)?.uid];
    if (first === undefined || last === undefined) return [];
    const stored = await retryingConflicts(() =>
      database.transaction().execute(async (tx) => {
        if (!(await lockForWriting(tx, this.#key)))
          throw new AppError('not-found', 'The mailbox was deleted in the meantime.');
        // Another process may copy the same mailbox.
        const copiedBefore = new Map(
          (await readCopies(tx, copied, first, last)).map((copy) => [copy.sourceUid, copy]),
        );
        const matched: ChangedCopy[] = [];
        const added: { message: NewMessage; from: FetchedMessage }[] = [];
        for (const [at, message] of messages.entries()) {
          const from = fetched[at];
          if (from === undefined) continue;
          const before = copiedBefore.get(from.uid);
          if (before !== undefined && isSameOriginal(before, from)) continue;
          if (before?.digest.equals(message.blob.digest))
            matched.push({ ...copyOf(from, message, before), now: from });
          else added.push({ message, from });
        }
        const digests = added.map(({ message }) => message.blob.digest);
        const known = [await takeEarlier(tx, copied, digests), await findUnclaimed(tx, copied, digests)];
        const rest = added.filter(({ message, from }) => {
          const found = takeFound(known, message);
          if (found !== undefined) matched.push({ ...copyOf(from, message, found), now: from });
          return found === undefined;
        });
        const appended = await store.appendIn(
          tx,
          rest.map(({ message }) => message),
        );
        const copies = appended.results.flatMap((result, at): MessageCopy[] => {
          const row = rest[at];
          if (result.outcome !== 'stored' || row === undefined) return [];
          const { from, message } = row;
          const { flags, keywords } = from;
          return [copyOf(from, message, { uid: result.uid, flags, keywords, isClaimed: false })];
        });
        if (copies.length + matched.length > 0) await recordCopies(tx, copied, [...copies, ...matched]);
        return { matched, rest, ...appended };
      }),
    );
    stored.committed();
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
    const { store, database, note, maxMessageOctets } = this.#context;
    const gone = this.#gone.reduce((sum, { uids }) => sum + uids.length, 0);
    const { messages, imported, leftOut, foldersLeftOut } = this.#report;
    if (gone === 0) return true;
    await this.#source.confirm();
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
    for (const { copied, uids } of this.#gone) {
      const folder = { ...this.#key, folderId: copied.folderId };
      for (let at = 0; at < uids.length; at += CHUNK) {
        const some = uids.slice(at, at + CHUNK);
        const ranges = rangesOf(await readDeletable(database, copied, some, maxMessageOctets));
        const expunged =
          ranges.length === 0 ? [] : await store.expunge(folder, { ranges, isDeletedOnly: false });
        this.#report.deleted += expunged?.length ?? 0;
        await forgetCopies(database, copied, some);
      }
    }
    return true;
  }
}

function existingFolder<Folder extends { name: string; role: string | null }>(
  folders: readonly Folder[],
  { role }: SourceFolder,
  name: string,
): Folder | undefined {
  return folders.find((each) => (role === null ? each.name === name : each.role === role));
}

/** @param known maps from digests in hexadecimal, the preferred first */
function takeFound(
  known: readonly ReadonlyMap<string, FoundMessage[]>[],
  { blob }: NewMessage,
): FoundMessage | undefined {
  const digest = blob.digest.toString('hex');
  return known
    .find((each) => (each.get(digest)?.length ?? 0) > 0)
    ?.get(digest)
    ?.shift();
}

function copyOf(
  { uid: sourceUid, size, internalDate }: SourceMessage,
  { blob: { digest } }: NewMessage,
  { uid, flags, keywords, isClaimed }: FoundMessage,
): MessageCopy {
  return { sourceUid, size, internalDate, digest, uid, flags, keywords, isClaimed };
}

/** Whether a UID still means the same message. A server that was restored from a backup gives its UIDs again. */
function isSameOriginal(copy: MessageCopy, { size, internalDate }: SourceMessage): boolean {
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
