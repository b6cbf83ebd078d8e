import { type RawBuilder, sql } from 'kysely';
import { rowsOf } from '../db/rows.ts';

/** A range of UIDs, inclusive at both ends. */
export interface UidRange {
  first: number;
  last: number;
}

export const MAX_UID = 2 ** 31 - 1;

const RANGES = rowsOf<UidRange>('r', {
  first_uid: ['int4', ({ first }) => Math.min(first, MAX_UID)],
  last_uid: ['int4', ({ last }) => Math.min(last, MAX_UID)],
});

/**
 * For a from clause: the rows `m` of `messages` whose UIDs are in the ranges, sorted by UID. Each range is a scan of the primary key. With
 * another kind of join PostgreSQL would read the whole folder for a few messages.
 * @param limit the limit of the statement, applied to each range @param also a condition on `m`
 */
export function messagesIn(
  { projectId, mailboxId, folderId }: { projectId: string; mailboxId: string; folderId: string },
  ranges: readonly UidRange[],
  limit: number,
  also: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  return sql`${RANGES.from(disjoint(ranges))} cross join lateral (
    select * from messages m
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
      and m.uid between r.first_uid and r.last_uid and ${also}
    order by m.uid limit ${limit}) m`;
}

/** Sorts and merges ranges. */
export function disjoint(ranges: readonly UidRange[]): UidRange[] {
  const joined: UidRange[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

/** The number of UIDs in ranges. A UID in several ranges counts several times. */
export function countOf(ranges: readonly UidRange[]): number {
  return ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

/** The parts of ranges above a UID. */
export function rangesAbove(ranges: readonly UidRange[], uid: number): UidRange[] {
  return ranges
    .filter(({ last }) => last > uid)
    .map(({ first, last }) => ({ first: Math.max(first, uid + 1), last }));
}

/** @param ranges ascending and disjoint */
export function isWithin(ranges: readonly UidRange[], uid: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.last ?? 0) < uid) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.first ?? Number.POSITIVE_INFINITY) <= uid;
}

export function rangesOf(uids: readonly number[]): UidRange[] {
  return disjoint(uids.map((uid) => ({ first: uid, last: uid })));
}

/** Formats ranges as a PostgreSQL `int4multirange`, in which lookups are fast regardless of the number of ranges. */
export function uidSet(ranges: readonly UidRange[]): string {
  // PostgreSQL stores the exclusive end of a range. The greatest int4 has no successor, so a range that ends with it is unbounded.
  const written = ranges
    .filter(({ first }) => first <= MAX_UID)
    .map(({ first, last }) => (last < MAX_UID ? `[${first},${last}]` : `[${first},)`));
  return `{${written.join(',')}}`;
}

/** Unpacks UIDs that PostgreSQL packed with `int4send`. */
export function unpackUids(slices: readonly Buffer[]): Uint32Array {
  const uids = new Uint32Array(slices.reduce((sum, { length }) => sum + length, 0) / 4);
  const octets = Buffer.from(uids.buffer);
  let at = 0;
  for (const slice of slices) at += slice.copy(octets, at);
  // PostgreSQL's integers are big-endian.
  octets.swap32();
  return uids;
}
