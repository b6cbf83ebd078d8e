import type { SequenceSet, SetNumber } from '../../rfc/imap/command.ts';
import type { UidRange } from '../../store/uid-ranges.ts';

/** A list that is full grows to so many times its length, and room for a few. */
const GROWTH = 1.25;
const FIRST_ROOM = 16;

/** Positions, from the first one up to the one before the end. */
type Span = [start: number, end: number];

/** UIDs, ascending: four octets for each message. */
export class UidList {
  #uids: Uint32Array;
  #length: number;

  /** @param uids ascending; the list's own from now on */
  constructor(uids: Uint32Array) {
    this.#uids = uids;
    this.#length = uids.length;
  }

  get length(): number {
    return this.#length;
  }

  /** The greatest; 0: there is none. */
  get last(): number {
    return this.#length === 0 ? 0 : this.at(this.#length - 1);
  }

  at(index: number): number {
    const uid = index < this.#length ? this.#uids[index] : undefined;
    if (uid === undefined) throw new RangeError(`there is no message at ${index}`);
    return uid;
  }

  /** @param uid greater than all before */
  push(uid: number): void {
    if (this.#length === this.#uids.length) {
      const larger = new Uint32Array(Math.ceil(this.#length * GROWTH) + FIRST_ROOM);
      larger.set(this.#uids);
      this.#uids = larger;
    }
    this.#uids[this.#length++] = uid;
  }

  /** -1: it is not there. */
  indexOf(uid: number): number {
    const at = this.#lowerBound(uid);
    return at < this.#length && this.#uids[at] === uid ? at : -1;
  }

  /** @param uids ascending, all of them there @returns where they were, counted from 1, the last one first */
  remove(uids: Uint32Array): number[] {
    const [first] = uids;
    if (first === undefined) return [];
    const numbers: number[] = [];
    let next = 0;
    let to = this.#lowerBound(first);
    for (let from = to; from < this.#length; from++) {
      const uid = this.at(from);
      if (uid === uids[next]) {
        numbers.push(from + 1);
        next++;
      } else this.#uids[to++] = uid;
    }
    this.#length = to;
    return numbers.reverse();
  }

  /** Ranges as of sequence numbers; null: one of them is not between 1 and the number of messages. */
  rangesOfNumbers(set: Exclude<SequenceSet, 'saved'>): UidRange[] | null {
    const spans: Span[] = [];
    for (const [from, to] of set) {
      const [first, last] = inOrder(from, to, this.#length);
      if (first < 1 || last > this.#length) return null;
      spans.push([first - 1, last]);
    }
    return this.#toRanges(spans);
  }

  /** Ranges cut down to what is there: each begins and ends with a UID of the list. */
  rangesOfUids(set: Exclude<SequenceSet, 'saved'>): UidRange[] {
    const spans: Span[] = [];
    for (const [from, to] of set) {
      const [first, last] = inOrder(from, to, this.last);
      const [start, end] = this.#bounds({ first, last });
      if (start < end) spans.push([start, end]);
    }
    return this.#toRanges(spans);
  }

  within(ranges: readonly UidRange[]): number[] {
    const uids: number[] = [];
    for (const range of ranges) {
      const [start, end] = this.#bounds(range);
      for (let at = start; at < end; at++) uids.push(this.at(at));
    }
    return uids;
  }

  /** The same messages in order, at most so many at a time. */
  *slices(ranges: readonly UidRange[], size: number): Generator<UidRange[]> {
    let slice: UidRange[] = [];
    let room = size;
    for (const range of ranges) {
      let [start, end] = this.#bounds(range);
      while (start < end) {
        const until = Math.min(end, start + room);
        slice.push({ first: this.at(start), last: this.at(until - 1) });
        room -= until - start;
        start = until;
        if (room > 0) continue;
        yield slice;
        slice = [];
        room = size;
      }
    }
    if (slice.length > 0) yield slice;
  }

  /** Where these are, counted from 1; those that are not there are left out. @param uids ascending */
  numbersOf(uids: Uint32Array): Uint32Array {
    const numbers = new Uint32Array(uids.length);
    let count = 0;
    let at = this.#lowerBound(uids[0] ?? 0);
    for (const uid of uids) {
      while (at < this.#length && (this.#uids[at] as number) < uid) at++;
      if (at < this.#length && this.#uids[at] === uid) numbers[count++] = at + 1;
    }
    return numbers.subarray(0, count);
  }

  countWithin(ranges: readonly UidRange[]): number {
    let count = 0;
    for (const range of ranges) {
      const [start, end] = this.#bounds(range);
      count += end - start;
    }
    return count;
  }

  /** Those that are not among others, which are ascending too. */
  without(others: Uint32Array): number[] {
    const missing: number[] = [];
    let next = 0;
    for (let at = 0; at < this.#length; at++) {
      const uid = this.at(at);
      while ((others[next] ?? uid) < uid) next++;
      if (others[next] !== uid) missing.push(uid);
    }
    return missing;
  }

  /** What the list has not, of ranges in order. @param end UIDs from here on are left out */
  gapsIn(ranges: readonly UidRange[], end: number): UidRange[] {
    const gaps: UidRange[] = [];
    let done = 0;
    for (const range of ranges) {
      let from = Math.max(range.first, done + 1);
      const last = Math.min(range.last, end - 1);
      const [start, stop] = this.#bounds({ first: from, last });
      for (let at = start; at < stop; at++) {
        const uid = this.at(at);
        if (uid > from) gaps.push({ first: from, last: uid - 1 });
        from = uid + 1;
      }
      if (from <= last) gaps.push({ first: from, last });
      done = Math.max(done, last);
    }
    return gaps;
  }

  /** No UID between two neighbours of the list is ever used again: they are in one range. */
  #toRanges(spans: Span[]): UidRange[] {
    const joined: Span[] = [];
    for (const [start, end] of spans.sort(([a], [b]) => a - b)) {
      const before = joined.at(-1);
      if (before !== undefined && start <= before[1]) before[1] = Math.max(before[1], end);
      else joined.push([start, end]);
    }
    return joined.map(([start, end]) => ({ first: this.at(start), last: this.at(end - 1) }));
  }

  #bounds({ first, last }: UidRange): Span {
    return [this.#lowerBound(first), this.#lowerBound(last + 1)];
  }

  #lowerBound(uid: number): number {
    let [low, high] = [0, this.#length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#uids[middle] ?? 0) < uid) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** `*` is the last one there is, and may stand first (RFC 9051, section 9, seq-range). */
function inOrder(from: SetNumber, to: SetNumber, last: number): [number, number] {
  const [a, b] = [from === '*' ? last : from, to === '*' ? last : to];
  return a <= b ? [a, b] : [b, a];
}
