import type { Maildrop } from '../../store/read-maildrop.ts';
import type { UidRange } from '../../store/uid-ranges.ts';

const MARK = { deleted: 1, retrieved: 2 } as const;

/** The list of a session (RFC 1939, section 5), and what it marked. Messages are numbered from 1 on. */
export class MarkedMaildrop {
  readonly #drop: Maildrop;
  readonly #marks: Uint8Array;
  /** Of those that are not marked as deleted. */
  #count: number;
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

  /** `unknown` and `deleted`: no command may name it. */
  look(number: number): 'there' | 'deleted' | 'unknown' {
    const mark = this.#marks[number - 1];
    if (mark === undefined) return 'unknown';
    return (mark & MARK.deleted) === 0 ? 'there' : 'deleted';
  }

  uidOf(number: number): number {
    return this.#drop.uids[number - 1] ?? 0;
  }

  octetsOf(number: number): number {
    return this.#drop.octets[number - 1] ?? 0;
  }

  /** Stable as long as the folder has its UIDVALIDITY: one that was restored has another one, so nothing is taken for what it is not. */
  uniqueIdOf(number: number): string {
    return `${this.#drop.uidValidity}.${this.uidOf(number)}`;
  }

  /** The numbers of all that are there. */
  *numbers(): Generator<number, void, void> {
    for (let number = 1; number <= this.#marks.length; number++)
      if (this.look(number) === 'there') yield number;
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

  /** Attack: thousands of RSET in one piece. Each takes as long as what was marked since the last one. */
  reset(): void {
    for (const number of this.#deleted.splice(0)) {
      this.#marks[number - 1] = (this.#marks[number - 1] ?? 0) & ~MARK.deleted;
      this.#count += 1;
      this.#octets += this.octetsOf(number);
    }
  }

  /** Those marked as deleted, some at a time. */
  deleted(size: number): Iterable<UidRange[]> {
    return this.#slices(size, (mark) => (mark & MARK.deleted) !== 0);
  }

  /** Those that the client has, and that stay. */
  retrieved(size: number): Iterable<UidRange[]> {
    return this.#slices(size, (mark) => mark === MARK.retrieved);
  }

  /** @yields ranges of no more messages than that. Messages that came between theirs are in none of them */
  *#slices(size: number, isWanted: (mark: number) => boolean): Generator<UidRange[], void, void> {
    let slice: UidRange[] = [];
    let messages = 0;
    let before = -1;
    for (const [at, mark] of this.#marks.entries()) {
      if (!isWanted(mark)) continue;
      const uid = this.#drop.uids[at] ?? 0;
      const last = slice.at(-1);
      // Whatever was there at the begin is in the list: between two neighbours there is nothing.
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
