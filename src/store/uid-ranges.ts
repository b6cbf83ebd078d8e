import type { RawBuilder } from 'kysely';
import { rowsOf } from '../db/rows.ts';

/** UIDs from the first to the last, both included. */
export interface UidRange {
  first: number;
  last: number;
}

export const MAX_UID = 2 ** 31 - 1;

const RANGES = rowsOf<UidRange>('r', {
  first_uid: ['int4', ({ first }) => Math.min(first, MAX_UID)],
  last_uid: ['int4', ({ last }) => Math.min(last, MAX_UID)],
});

/** As rows `r (first_uid, last_uid)` that do not overlap, so that a join with them finds each message once. */
export function rangeRows(ranges: readonly UidRange[]): RawBuilder<unknown> {
  return RANGES.from(disjoint(ranges));
}

/** The same UIDs in few ranges, in order. */
function disjoint(ranges: readonly UidRange[]): UidRange[] {
  const joined: UidRange[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

export function rangesOf(uids: readonly number[]): UidRange[] {
  return disjoint(uids.map((uid) => ({ first: uid, last: uid })));
}
