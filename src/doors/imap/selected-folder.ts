/**
 * The selected folder in the state that the session has reported to the client. Sequence numbers are positions in the list of reported
 * messages, "the client's list" (RFC 9051, section 2.3.1.2). The list changes only in `sync`, which returns the changes for the client.
 */
import type { SequenceSet } from '../../rfc/imap/command.ts';
import type { FlaggedMessage } from '../../store/change-flags.ts';
import type { Folder } from '../../store/folders.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { FolderSnapshot } from '../../store/read-folder.ts';
import type { Store } from '../../store/store.ts';
import { MAX_UID, type UidRange } from '../../store/uid-ranges.ts';
import { yieldingSlices } from './yielding-slices.ts';
import type { Account } from './accounts.ts';
import { UidList } from './uid-list.ts';

/** Changes in the folder since the last `sync`. */
export interface FolderChanges {
  /** Expunged messages. `numbers` are their sequence numbers before the removal, in descending order. `uids` are in ascending order. */
  expunged: { numbers: readonly number[]; uids: Uint32Array };
  /** Number of messages; null if there are no new messages. */
  exists: number | null;
  /** Number of \Recent messages; null if the number is unchanged and there are no new messages. */
  recent: number | null;
  /** Messages with changed flags, in the order of their sequence numbers. */
  changed: { number: number; message: FlaggedMessage }[];
  /** New keywords of the folder. */
  keywords: readonly string[];
}

/** A folder of an account of the session. `name` is its name in the account, without the prefix of the account. */
export type MailboxFolder = Folder & { key: FolderKey; account: Account };

export class SelectedFolder {
  readonly key: FolderKey;
  readonly uidValidity: number;
  /** Whether the folder was opened by EXAMINE, with a read-only app password, or with a grant to read. */
  readonly isReadOnly: boolean;
  /** UIDs of the last saved search result (RFC 5182). */
  saved: readonly UidRange[] = [];
  readonly #store: Store;
  readonly #uids: UidList;
  /** UIDs of messages that are \Recent in this session. Each call of `#takeRecent` that finds new mail adds one range. */
  readonly #recent: UidRange[] = [];
  readonly #keywords: Set<string>;
  #uidNext: number;
  /** The highest MODSEQ up to which all changes have been reported to the client. */
  #modseq: number;
  /** MODSEQs of changes that the next `sync` must not report, by UID. Set by `excludeFromSync`. */
  readonly #ownChanges = new Map<number, number>();
  /** Highest MODSEQ that appeared in a response since the last `takeSentAhead`. */
  #highestSent = 0;
  /** Whether the folder may have changed since the last `sync`. */
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
    // EXAMINE shows \Recent messages, and they stay \Recent for the next session (RFC 3501, section 6.3.2).
    if (isReadOnly) this.#recent.push({ first: snapshot.recentUid, last: MAX_UID });
  }

  /** Reads the current state of a folder, and sends nothing. @returns null if the folder does not exist */
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

  /**
   * Messages in the client's list whose flags changed after `since`. Changes after `modseq` may be included; `sync` reports such changes
   * again, without harm.
   */
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
   * UIDs in `within` that were expunged after `since`. If the store has dropped some of its records of these expunges, returns all
   * UIDs in `within` that have no message (RFC 7162, section 3.2.6).
   * @param within ascending ranges; UIDs from `uidNext` on are skipped @returns ascending ranges
   */
  async expungedSince(since: number, within: readonly UidRange[]): Promise<UidRange[]> {
    const expunged: UidRange[] = [];
    for (let modseq = since; modseq < this.#modseq; ) {
      const changes = await this.#store.changesSince(this.key, modseq);
      if (changes === null) return [];
      if (changes.vanished === null) return this.expungedWithin(null, within);
      expunged.push(...changes.vanished);
      if (!changes.hasMore) break;
      ({ modseq } = changes);
    }
    return this.expungedWithin(expunged, within);
  }

  /** Expunged UIDs in `within` that are not in the client's list. @param expunged null if unknown @param within see `expungedSince` */
  expungedWithin(expunged: readonly UidRange[] | null, within: readonly UidRange[]): UidRange[] {
    return this.#uids.gapsIn(expunged === null ? within : overlap(expunged, within), this.#uidNext);
  }

  async #takeRecent(): Promise<void> {
    if (this.isReadOnly) return;
    const recent = await this.#store.takeRecent(this.key);
    if (recent !== null) this.#recent.push(recent);
  }

  /** Whether this session is the first session that was notified of the message (RFC 3501, section 2.3.2). */
  isRecent(uid: number): boolean {
    return this.#recent.some(({ first, last }) => uid >= first && uid <= last);
  }

  /** Number of \Recent messages. */
  get recent(): number {
    return this.#uids.countWithin(this.#recent);
  }

  /** Lower bound for the UID of the next message. */
  get uidNext(): number {
    return this.#uidNext;
  }

  /** Number of messages in the client's list. */
  get exists(): number {
    return this.#uids.length;
  }

  /** The highest MODSEQ up to which all changes have been reported to the client. */
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

  /** The sequence number of a UID. 0 if the message is not in the client's list; responses must not contain such a message. */
  numberOf(uid: number): number {
    return this.#uids.indexOf(uid) + 1;
  }

  /**
   * Resolves a set from a command to messages in the client's list. The result has as few UID ranges as possible, ascending and disjoint,
   * such as one range for `1:*`.
   * @param isUid whether the numbers in the set are UIDs; UIDs that are not in the list are skipped
   * @returns null if a sequence number does not exist; the response is then BAD
   */
  resolve(set: SequenceSet, isUid: boolean): UidRange[] | null {
    if (set === 'saved') return [...this.saved];
    return isUid ? this.#uids.rangesOfUids(set) : this.#uids.rangesOfNumbers(set);
  }

  /** The UIDs in the client's list that are in ranges from `resolve`, ascending. */
  uidsIn(ranges: readonly UidRange[]): number[] {
    return this.#uids.within(ranges);
  }

  /** Splits ranges from `resolve` into slices of at most `size` messages. */
  slices(ranges: readonly UidRange[], size: number): Iterable<UidRange[]> {
    return this.#uids.slices(ranges, size);
  }

  /** The sequence numbers of ascending UIDs. UIDs that are not in the client's list are skipped. */
  numbersOf(uids: Uint32Array): Uint32Array {
    return this.#uids.numbersOf(uids);
  }

  /** UIDs of messages that are \Recent in this session. */
  get recentRanges(): readonly UidRange[] {
    return this.#recent;
  }

  /** Number of messages in the client's list that are in ranges from `resolve`. */
  countIn(ranges: readonly UidRange[]): number {
    return this.#uids.countWithin(ranges);
  }

  /** Excludes a change from the next `sync`, because the command has reported the change, or must not report it (.SILENT). */
  excludeFromSync({ uid, modseq }: Pick<FlaggedMessage, 'uid' | 'modseq'>): void {
    this.#ownChanges.set(uid, modseq);
    this.#isStale = true;
  }

  /** Whether `sync` has reported the change or will skip the change. */
  isReportedOrExcluded({ uid, modseq }: Pick<FlaggedMessage, 'uid' | 'modseq'>): boolean {
    return modseq <= this.#modseq || this.#ownChanges.get(uid) === modseq;
  }

  /** Records a MODSEQ that the response of a command contained. */
  noteSentModseq(modseq: number): void {
    this.#highestSent = Math.max(this.#highestSent, modseq);
  }

  /**
   * Whether a response since the last call contained a MODSEQ above `modseq`. The client would take that MODSEQ for the state of its copy,
   * and would never ask for unreported changes with a lower MODSEQ (RFC 7162, sections 3.2.4 and 6).
   */
  takeSentAhead(): boolean {
    const isAhead = this.#highestSent > this.#modseq;
    this.#highestSent = 0;
    return isAhead;
  }

  /** Records that the folder may have changed. */
  noteChange(): void {
    this.#isStale = true;
  }

  /** Whether the folder may have changed since the last `sync`, according to notices. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /**
   * Updates the client's list from the store. The caller must send the returned changes before any other response.
   * @param mayExpunge if false and messages were expunged, no change is applied or returned, because a client that received later MODSEQs
   *   would never ask for the missed expunges (RFC 7162, section 3.2.10)
   * @returns null if the folder was deleted
   */
  async sync(mayExpunge: boolean): Promise<FolderChanges | null> {
    this.#isStale = false;
    const changed = new Map<number, FlaggedMessage>();
    const expunged = new Set<number>();
    let modseq = this.#modseq;
    let uidNext = this.#uidNext;
    let hasRecent = false;
    let keywords: readonly string[] = [];
    for (;;) {
      const changes = await this.#store.changesSince(this.key, modseq);
      if (changes === null) return null;
      // This page may list messages as expunged that an earlier page listed as changed.
      for (const range of changes.vanished ?? []) drop(changed, range);
      for (const message of changes.changed) changed.set(message.uid, message);
      for (const uid of changes.vanished === null ? await this.#missing() : this.uidsIn(changes.vanished))
        expunged.add(uid);
      ({ modseq, keywords, uidNext, hasRecent } = changes);
      if (!changes.hasMore) break;
    }
    const uids = Uint32Array.from(changed.keys()).sort();
    if (expunged.size > 0 && !mayExpunge) {
      this.#isStale = true;
      return NOTHING;
    }
    const { recent } = this;
    // Run all queries before any change to the list, because a query may fail.
    if (hasRecent && (uids.at(-1) ?? 0) > this.#uids.last) await this.#takeRecent();
    this.#modseq = modseq;
    this.#uidNext = uidNext;
    const changes = await this.#apply(uids, changed, Uint32Array.from(expunged).sort());
    return {
      ...changes,
      recent: changes.exists === null && this.recent === recent ? null : this.recent,
      keywords: this.addKeywords(keywords),
    };
  }

  /** @param uids UIDs of changed and new messages, ascending @param expunged expunged UIDs, ascending */
  async #apply(
    uids: Uint32Array,
    changed: ReadonlyMap<number, FlaggedMessage>,
    expunged: Uint32Array,
  ): Promise<Omit<FolderChanges, 'recent' | 'keywords'>> {
    const numbers = this.#uids.remove(expunged);
    const { last: lastKnown, length } = this.#uids;
    const updates: FolderChanges['changed'] = [];
    for await (const some of yieldingSlices(uids))
      for (const uid of some) {
        const message = changed.get(uid) as FlaggedMessage;
        if (uid > lastKnown) this.#uids.push(uid);
        else if (this.#ownChanges.get(uid) !== message.modseq) {
          const number = this.numberOf(uid);
          if (number > 0) updates.push({ number, message });
        }
      }
    this.#ownChanges.clear();
    const exists = this.exists === length ? null : this.exists;
    return { expunged: { numbers, uids: expunged }, exists, changed: updates };
  }

  /** Adds keywords. @returns the keywords that were added, which the caller must send to the client */
  addKeywords(keywords: readonly string[]): string[] {
    const found = keywords.filter((keyword) => !this.#keywords.has(keyword));
    for (const keyword of found) this.#keywords.add(keyword);
    return found;
  }

  /** UIDs in the client's list whose messages no longer exist. Needed if the store has dropped some of its records of expunged messages. */
  async #missing(): Promise<number[]> {
    const snapshot = await this.#store.snapshot(this.key);
    return this.#uids.without(snapshot?.uids ?? new Uint32Array());
  }
}

/** Removes a range of UIDs, by iterating over the range or the map, whichever is shorter. */
function drop(changed: Map<number, unknown>, { first, last }: UidRange): void {
  if (last - first < changed.size) for (let uid = first; uid <= last; uid++) changed.delete(uid);
  else for (const uid of changed.keys()) if (uid >= first && uid <= last) changed.delete(uid);
}

/** The intersection of two lists of ranges. @param others ascending and disjoint ranges @returns ascending ranges */
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

const NOTHING: FolderChanges = {
  expunged: { numbers: [], uids: new Uint32Array() },
  exists: null,
  recent: null,
  changed: [],
  keywords: [],
};
