/**
 * The selected folder as the client knows it: THE one list of what a session was told. Sequence numbers are positions in it (RFC 9051,
 * section 2.3.1.2). It changes by `sync` alone, which says each change to the client as it makes it.
 */
import type { SequenceSet } from '../../rfc/imap/command.ts';
import type { FlaggedMessage } from '../../store/change-flags.ts';
import type { Folder } from '../../store/folders.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { FolderSnapshot } from '../../store/read-folder.ts';
import type { Store } from '../../store/store.ts';
import { MAX_UID, type UidRange } from '../../store/uid-ranges.ts';
import { inTurns } from './in-turns.ts';
import { UidList } from './uid-list.ts';

/** What happened since the client was told the last time. */
export interface FolderNews {
  /** Positions before any of them is taken away, from the last to the first, and their UIDs, ascending. */
  expunged: { numbers: readonly number[]; uids: Uint32Array };
  /** How many messages there are; null: no more than before. */
  exists: number | null;
  /** How many of them are \Recent; null: as many as before, and no new message came. */
  recent: number | null;
  /** With other flags than before, ascending. */
  changed: { number: number; message: FlaggedMessage }[];
  /** Keywords that the folder did not have. */
  keywords: readonly string[];
}

/** A folder of the mailbox whose owner has signed in. */
export type OwnFolder = Folder & { key: FolderKey };

export class SelectedFolder {
  readonly key: FolderKey;
  readonly uidValidity: number;
  /** EXAMINE, or an app password for reading. */
  readonly isReadOnly: boolean;
  /** The result of the last SEARCH that was to be saved (RFC 5182), as UIDs. */
  saved: readonly UidRange[] = [];
  readonly #store: Store;
  readonly #uids: UidList;
  /** What is \Recent in this session: few ranges, one for each time that mail came. */
  readonly #recent: UidRange[] = [];
  readonly #keywords: Set<string>;
  #uidNext: number;
  /** Up to which the client was told. */
  #modseq: number;
  /** MODSEQs above it that it was told, by UID: those of its own changes. */
  readonly #told = new Map<number, number>();
  /** The greatest MODSEQ of answers. */
  #said = 0;
  /** Something may have happened since `sync`. */
  #isStale = true;

  private constructor(store: Store, key: FolderKey, snapshot: FolderSnapshot, isReadOnly: boolean) {
    this.#store = store;
    this.key = key;
    this.isReadOnly = isReadOnly;
    this.uidValidity = snapshot.uidValidity;
    this.#uids = new UidList(snapshot.uids);
    this.#uidNext = snapshot.uidNext;
    this.#modseq = snapshot.highestModseq;
    this.#keywords = new Set(snapshot.keywords);
    // Whoever only looks leaves what is \Recent to the next one (RFC 9051, section 6.3.3).
    if (isReadOnly) this.#recent.push({ first: snapshot.recentUid, last: MAX_UID });
  }

  /** Reads what there is, without telling anything. @returns null: there is no such folder */
  static async open(
    store: Store,
    key: FolderKey,
    isReadOnly: boolean,
  ): Promise<{ selected: SelectedFolder; firstUnseen: number | null } | null> {
    const snapshot = await store.snapshot(key);
    if (snapshot === null) return null;
    const selected = new SelectedFolder(store, key, snapshot, isReadOnly);
    await selected.#takeRecent();
    const { firstUnseen } = snapshot;
    return { selected, firstUnseen: firstUnseen === null ? null : selected.numberOf(firstUnseen) };
  }

  /** Messages that the client knows and whose flags changed after a MODSEQ. May end later than `modseq`: what is told twice is no harm. */
  async *changedSince(since: number): AsyncGenerator<FlaggedMessage, void, void> {
    for (let modseq = since; modseq < this.#modseq; ) {
      const changes = await this.#store.changesSince(this.key, modseq);
      if (changes === null) return;
      for (const message of changes.changed) if (this.numberOf(message.uid) > 0) yield message;
      if (!changes.hasMore) return;
      ({ modseq } = changes);
    }
  }

  /**
   * UIDs of which the client has no message and that went after a MODSEQ, as far as the store remembers; else all that it has no
   * message of (RFC 7162, section 3.2.6). Ascending.
   * @param within ascending; UIDs from `uidNext` on are left out
   */
  async goneSince(since: number, within: readonly UidRange[]): Promise<UidRange[]> {
    const gone: UidRange[] = [];
    for (let modseq = since; modseq < this.#modseq; ) {
      const changes = await this.#store.changesSince(this.key, modseq);
      if (changes === null) return [];
      if (changes.vanished === null) return this.goneWithin(null, within);
      gone.push(...changes.vanished);
      if (!changes.hasMore) break;
      ({ modseq } = changes);
    }
    return this.goneWithin(gone, within);
  }

  /** Of UIDs that went, or may have gone (null: any), those of which the client has no message. @param within as of `goneSince` */
  goneWithin(gone: readonly UidRange[] | null, within: readonly UidRange[]): UidRange[] {
    return this.#uids.gapsIn(gone === null ? within : overlap(gone, within), this.#uidNext);
  }

  async #takeRecent(): Promise<void> {
    if (this.isReadOnly) return;
    const recent = await this.#store.takeRecent(this.key);
    if (recent !== null) this.#recent.push(recent);
  }

  /** Whether this session is the first that was told of the message (RFC 3501, section 2.3.2). */
  isRecent(uid: number): boolean {
    return this.#recent.some(({ first, last }) => uid >= first && uid <= last);
  }

  /** How many of them there are. */
  get recent(): number {
    return this.#uids.countWithin(this.#recent);
  }

  /** The next message gets at least this UID. */
  get uidNext(): number {
    return this.#uidNext;
  }

  /** How many messages the client knows of. */
  get exists(): number {
    return this.#uids.length;
  }

  /** The client knows all changes up to here. */
  get modseq(): number {
    return this.#modseq;
  }

  get keywords(): readonly string[] {
    return [...this.#keywords];
  }

  /** The UID of a sequence number between 1 and `exists`. */
  uidAt(number: number): number {
    return this.#uids.at(number - 1);
  }

  /** The sequence number of a UID; 0: the client knows no such message, so nothing is said about it. */
  numberOf(uid: number): number {
    return this.#uids.indexOf(uid) + 1;
  }

  /**
   * Which messages a set names, of those that the client knows, as ranges of UIDs for the store: few, ascending and disjoint, however
   * the client wrote them. `1:*` is one range.
   * @param isUid whether the numbers are UIDs: unknown ones are left out
   * @returns null: a sequence number that there is not, which is BAD
   */
  resolve(set: SequenceSet, isUid: boolean): UidRange[] | null {
    if (set === 'saved') return [...this.saved];
    return isUid ? this.#uids.rangesOfUids(set) : this.#uids.rangesOfNumbers(set);
  }

  /** The UIDs in ranges that `resolve` gave, ascending. */
  uidsIn(ranges: readonly UidRange[]): number[] {
    return this.#uids.within(ranges);
  }

  /** The messages in ranges that `resolve` gave, as ranges of at most so many: what a command does at a time. */
  slices(ranges: readonly UidRange[], size: number): Iterable<UidRange[]> {
    return this.#uids.slices(ranges, size);
  }

  /** The sequence numbers of UIDs, ascending, of those that the client knows. */
  numbersOf(uids: Uint32Array): Uint32Array {
    return this.#uids.numbersOf(uids);
  }

  /** The messages that are \Recent in this session. */
  get recentRanges(): readonly UidRange[] {
    return this.#recent;
  }

  /** How many messages are in ranges that `resolve` gave. */
  countIn(ranges: readonly UidRange[]): number {
    return this.#uids.countWithin(ranges);
  }

  /** A change of this session was told as its answer, or is not to be told (.SILENT): `sync` leaves it out. */
  noteTold({ uid, modseq }: Pick<FlaggedMessage, 'uid' | 'modseq'>): void {
    this.#told.set(uid, modseq);
    this.#isStale = true;
  }

  /** Whether the client was told of a message as it is, or is not to be told. */
  knows({ uid, modseq }: Pick<FlaggedMessage, 'uid' | 'modseq'>): boolean {
    return modseq <= this.#modseq || this.#told.get(uid) === modseq;
  }

  /** The client is told a MODSEQ as an answer, not as news. */
  noteSaid(modseq: number): void {
    this.#said = Math.max(this.#said, modseq);
  }

  /**
   * Whether the client was told a MODSEQ above `modseq` since this was asked last. It would take that for the newest one that it knows of, and never
   * ask for the changes below it which it was not told (RFC 7162, sections 3.2.4 and 6).
   */
  takeSaidAhead(): boolean {
    const isAhead = this.#said > this.#modseq;
    this.#said = 0;
    return isAhead;
  }

  /** Something may have happened. */
  noteChange(): void {
    this.#isStale = true;
  }

  /** Whether `sync` may find something, as far as notices tell. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /**
   * Makes the list that of the store. The caller tells what it gets before anything else is said.
   * @param mayExpunge false: when messages have gone, all news wait: a client that heard later MODSEQs and not of these would
   *   never ask for them again (RFC 7162, section 3.2.10)
   * @returns null: the folder is deleted
   */
  async sync(mayExpunge: boolean): Promise<FolderNews | null> {
    this.#isStale = false;
    const changed = new Map<number, FlaggedMessage>();
    const gone = new Set<number>();
    let modseq = this.#modseq;
    let uidNext = this.#uidNext;
    let keywords: readonly string[] = [];
    for (;;) {
      const changes = await this.#store.changesSince(this.key, modseq);
      if (changes === null) return null;
      // What an answer before told may have gone since.
      for (const range of changes.vanished ?? []) drop(changed, range);
      for (const message of changes.changed) changed.set(message.uid, message);
      for (const uid of changes.vanished === null ? await this.#missing() : this.uidsIn(changes.vanished))
        gone.add(uid);
      ({ modseq, keywords, uidNext } = changes);
      if (!changes.hasMore) break;
    }
    const uids = Uint32Array.from(changed.keys()).sort();
    if (gone.size > 0 && !mayExpunge) {
      this.#isStale = true;
      return NOTHING;
    }
    const { recent } = this;
    // What may fail is done while the list is that of the client still.
    if ((uids.at(-1) ?? 0) > this.#uids.last) await this.#takeRecent();
    this.#modseq = modseq;
    this.#uidNext = uidNext;
    const news = await this.#apply(uids, changed, Uint32Array.from(gone).sort());
    return {
      ...news,
      recent: news.exists === null && this.recent === recent ? null : this.recent,
      keywords: this.learn(keywords),
    };
  }

  /** @param uids of what changed, ascending @param gone ascending */
  async #apply(
    uids: Uint32Array,
    changed: ReadonlyMap<number, FlaggedMessage>,
    gone: Uint32Array,
  ): Promise<Omit<FolderNews, 'recent' | 'keywords'>> {
    const numbers = this.#uids.remove(gone);
    const { last: lastKnown, length } = this.#uids;
    const news: FolderNews['changed'] = [];
    for await (const some of inTurns(uids))
      for (const uid of some) {
        const message = changed.get(uid) as FlaggedMessage;
        if (uid > lastKnown) this.#uids.push(uid);
        else if (this.#told.get(uid) !== message.modseq) {
          const number = this.numberOf(uid);
          if (number > 0) news.push({ number, message });
        }
      }
    this.#told.clear();
    const exists = this.exists === length ? null : this.exists;
    return { expunged: { numbers, uids: gone }, exists, changed: news };
  }

  /** @returns keywords that the client was not told of, and now is to be */
  learn(keywords: readonly string[]): string[] {
    const found = keywords.filter((keyword) => !this.#keywords.has(keyword));
    for (const keyword of found) this.#keywords.add(keyword);
    return found;
  }

  /** What the client knows and the folder has no more, where the store has forgotten what went. */
  async #missing(): Promise<number[]> {
    const snapshot = await this.#store.snapshot(this.key);
    return this.#uids.without(snapshot?.uids ?? new Uint32Array());
  }
}

/** Takes the UIDs of a range out, in the fewer steps of two ways. */
function drop(changed: Map<number, unknown>, { first, last }: UidRange): void {
  if (last - first < changed.size) for (let uid = first; uid <= last; uid++) changed.delete(uid);
  else for (const uid of changed.keys()) if (uid >= first && uid <= last) changed.delete(uid);
}

/** @param others ascending and disjoint @returns ascending */
function overlap(ranges: readonly UidRange[], others: readonly UidRange[]): UidRange[] {
  const both: UidRange[] = [];
  let at = 0;
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    while (at > 0 && (others[at - 1]?.last ?? 0) >= range.first) at--;
    for (; at < others.length; at++) {
      const other = others[at];
      if (other === undefined || other.first > range.last) break;
      const first = Math.max(range.first, other.first);
      const last = Math.min(range.last, other.last);
      if (first <= last) both.push({ first, last });
    }
  }
  return both;
}

const NOTHING: FolderNews = {
  expunged: { numbers: [], uids: new Uint32Array() },
  exists: null,
  recent: null,
  changed: [],
  keywords: [],
};
