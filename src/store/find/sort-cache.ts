import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { isWithin, type UidRange } from '../uid-ranges.ts';

/** Results with fewer messages are not stored, because sorting them again is fast. */
const MIN_MESSAGES = 1_000;
/** A stored result takes four bytes for each message, and up to 100 bytes for each range. */
const MAX_MESSAGES = 100_000;
const MAX_RANGES = 1_000;
/** At most 20 MB together. */
const MAX_RESULTS = 40;

interface Sorted {
  ranges: readonly UidRange[];
  uids: Uint32Array;
}

/**
 * Stores sorted UIDs of large folders, because mail apps sort the same folder for each page of a list. The sort keys of a message never
 * change, and no message is ever added among UIDs that were assigned before. So a result remains valid for its ranges, except for
 * expunged messages.
 */
export class SortCache {
  readonly #results = new BoundedMap<string, Sorted>(MAX_RESULTS);

  /**
   * @param name the folder and the sort keys
   * @param ranges ascending and disjoint
   * @param count the number of messages in the ranges
   * @returns the sorted UIDs; null if the order is unknown, or if messages were expunged
   */
  get(name: string, ranges: readonly UidRange[], count: number): Uint32Array | null {
    const known = this.#results.get(name);
    if (known === undefined || !ranges.every((range) => isCovered(known.ranges, range))) return null;
    const uids = known.uids.filter((uid) => isWithin(ranges, uid));
    if (uids.length !== count) return null;
    // Results that are used stay stored.
    this.#results.set(name, known);
    return uids;
  }

  /** Stores a result, unless it is small or too large. */
  set(name: string, ranges: readonly UidRange[], uids: Uint32Array): void {
    if (uids.length < MIN_MESSAGES || uids.length > MAX_MESSAGES || ranges.length > MAX_RANGES) return;
    this.#results.set(name, { ranges, uids });
  }
}

/** @param ranges ascending and disjoint */
function isCovered(ranges: readonly UidRange[], { first, last }: UidRange): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.last ?? 0) < last) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.first ?? Number.POSITIVE_INFINITY) <= first;
}
