import type { SequenceSet, SetNumber } from '../../rfc/imap/command.ts';
import type { UidRange } from '../../store/uid-ranges.ts';

/** A full list grows by this factor, plus a constant. */
const GROWTH = 1.25;
const EXTRA = 16;

/** Indexes from `start` up to, but not including, `end`. */
type Span = [start: number, end: number];

/** An ascending list of UIDs, with four octets per message. */
export class UidList {
  #uids: Uint32Array;
  #length: number;

  /** @param uids ascending; the list takes ownership of the array */
  constructor(uids: Uint32Array) {
    this.#uids = uids;
    this.#length = uids.length;
  }

  get length(): number {
    return this.#length;
  }

  /** The highest UID; 0 if the list is empty. */
  get last(): number {
    return this.#length === 0 ? 0 : this.at(this.#length - 1);
  }

  at(index: number): number {
    const uid = index < this.#length ? this.#uids[index] : undefined;
    if (uid === undefined) throw new RangeError(`no message at index ${index}`);
    return uid;
  }

  /** @param uid higher than all UIDs in the list */
  push(uid: number): void {
    if (this.#length === this.#uids.length) {
      const larger = new Uint32Array(Math.ceil(this.#length * GROWTH) + EXTRA);
      larger.set(this.#uids);
      this.#uids = larger;
    }
    this.#uids[this.#length++] = uid;
  }

  /** @returns -1 if the UID is not in the list */
  indexOf(uid: number): number {
    const at = this.#lowerBound(uid);
    return at < this.#length && this.#uids[at] === uid ? at : -1;
  }

  /** Removes UIDs. @param uids ascending, all in the list @returns their positions before the removal, from 1, descending */
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

  /** Converts a set of sequence numbers to UID ranges. @returns null if a number is not between 1 and the number of messages */
  rangesOfNumbers(set: Exclude<SequenceSet, 'saved'>): UidRange[] | null {
    const spans: Span[] = [];
    for (const [from, to] of set) {
      const [first, last] = inOrder(from, to, this.#length);
      if (first < 1 || last > this.#length) return null;
      spans.push([first - 1, last]);
    }
    return this.#toRanges(spans);
  }

  /** Converts a set of UIDs to ranges that begin and end with UIDs in the list. */
  rangesOfUids(set: Exclude<SequenceSet, 'saved'>): UidRange[] {
    const spans: Span[] = [];
    for (const [from, to] of set) {
      const [first, last] = inOrder(from, to, this.last);
      const [start, end] = this.#bounds({ first, last });
      if (start < end) spans.push([start, end]);
    }
    return this.#toRanges(spans);
  }

  /** The UIDs in the list that are in `ranges`. */
  within(ranges: readonly UidRange[]): number[] {
    const uids: number[] = [];
    for (const range of ranges) {
      const [start, end] = this.#bounds(range);
      for (let at = start; at < end; at++) uids.push(this.at(at));
    }
    return uids;
  }

  /** Splits ranges into slices of at most `size` messages, in order. */
  *slices(ranges: readonly UidRange[], size: number): Generator<UidRange[]> {
    let slice: UidRange[] = [];
    let left = size;
    for (const range of ranges) {
      let [start, end] = this.#bounds(range);
      while (start < end) {
        const until = Math.min(end, start + left);
        slice.push({ first: this.at(start), last: this.at(until - 1) });
        left -= until - start;
        start = until;
        if (left > 0) continue;
        yield slice;
        slice = [];
        left = size;
      }
    }
    if (slice.length > 0) yield slice;
  }

  /** The positions of UIDs, from 1. Skips UIDs that are not in the list. @param uids ascending */
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

  /** The UIDs in the list that are not in `others`. @param others ascending */
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

  /** The UIDs in `ranges` that are not in the list. @param ranges ascending @param end UIDs from `end` on are skipped */
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

  /** Converts spans to UID ranges. Adjacent messages become one range, because a UID between two adjacent messages is never used again. */
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

/** Resolves `*` and orders the two numbers, because `*:1` is valid (RFC 9051, section 9, seq-range). */
function inOrder(from: SetNumber, to: SetNumber, last: number): [number, number] {
  const [a, b] = [from === '*' ? last : from, to === '*' ? last : to];
  return a <= b ? [a, b] : [b, a];
}
