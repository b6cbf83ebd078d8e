import type { Maildrop } from '../../store/read-maildrop.ts';
import type { UidRange } from '../../store/uid-ranges.ts';

const MARK = { deleted: 1, retrieved: 2 } as const;

/** The messages of a session (RFC 1939, section 5), numbered from 1. Messages can be marked as retrieved and as deleted. */
export class MarkedMaildrop {
  readonly #drop: Maildrop;
  readonly #marks: Uint8Array;
  /** Number of messages not marked as deleted. */
  #count: number;
  /** Octets of messages not marked as deleted. */
  #octets = 0;
  readonly #deleted: number[] = [];

  constructor(drop: Maildrop) {
    this.#drop = drop;
    this.#marks = new Uint8Array(drop.uids.length);
    this.#count = drop.uids.length;
    for (const octets of drop.octets) this.#octets += octets;
  }

  get count(): number {
    return this.#count;
  }

  get octets(): number {
    return this.#octets;
  }

  /** The state of a message number. Only `listed` messages may appear in commands. */
  stateOf(number: number): 'listed' | 'deleted' | 'unknown' {
    const mark = this.#marks[number - 1];
    if (mark === undefined) return 'unknown';
    return (mark & MARK.deleted) === 0 ? 'listed' : 'deleted';
  }

  uidOf(number: number): number {
    return this.#drop.uids[number - 1] ?? 0;
  }

  octetsOf(number: number): number {
    return this.#drop.octets[number - 1] ?? 0;
  }

  /**
   * The id of a message for UIDL. Includes UIDVALIDITY, which changes when a folder is restored, so that ids are never reused.
   * @param uidls ids of another server, by UID
   */
  uniqueIdOf(number: number, uidls: ReadonlyMap<number, string>): string {
    const uid = this.uidOf(number);
    return uidls.get(uid) ?? `${this.#drop.uidValidity}.${uid}`;
  }

  retrieve(number: number): void {
    this.#mark(number, MARK.retrieved);
  }

  delete(number: number): void {
    this.#mark(number, MARK.deleted);
    this.#deleted.push(number);
    this.#count -= 1;
    this.#octets -= this.octetsOf(number);
  }

  /** Removes the deletion marks. Takes time only for messages marked since the last RSET. Attack: thousands of RSET in one packet. */
  reset(): void {
    for (const number of this.#deleted.splice(0)) {
      this.#marks[number - 1] = (this.#marks[number - 1] ?? 0) & ~MARK.deleted;
      this.#count += 1;
      this.#octets += this.octetsOf(number);
    }
  }

  /** Messages marked as deleted, in slices of at most `size`. */
  deleted(size: number): Iterable<UidRange[]> {
    return this.#slices(size, (mark) => (mark & MARK.deleted) !== 0);
  }

  /** Messages that were retrieved and not marked as deleted, in slices of at most `size`. */
  retrieved(size: number): Iterable<UidRange[]> {
    return this.#slices(size, (mark) => mark === MARK.retrieved);
  }

  /** @yields UID ranges with at most `size` messages */
  *#slices(size: number, isIncluded: (mark: number) => boolean): Generator<UidRange[], void, void> {
    let slice: UidRange[] = [];
    let messages = 0;
    let before = -1;
    for (const [at, mark] of this.#marks.entries()) {
      if (!isIncluded(mark)) continue;
      const uid = this.#drop.uids[at] ?? 0;
      const last = slice.at(-1);
      // New messages get higher UIDs, so no other message has a UID between the UIDs of two neighbors in the list.
      if (last !== undefined && before === at - 1) last.last = uid;
      else slice.push({ first: uid, last: uid });
      before = at;
      messages += 1;
      if (messages < size) continue;
      yield slice;
      slice = [];
      messages = 0;
    }
    if (slice.length > 0) yield slice;
  }

  #mark(number: number, mark: number): void {
    this.#marks[number - 1] = (this.#marks[number - 1] ?? 0) | mark;
  }
}
