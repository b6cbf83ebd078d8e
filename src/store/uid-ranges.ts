import { type RawBuilder, sql } from 'kysely';
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

/**
 * For a from clause: the rows `m` of `messages` whose UIDs are in the ranges, in the order of their UIDs, as far as a statement takes them.
 * Each range is a walk through the primary key: joined in another way, PostgreSQL reads the folder as a whole for a few messages.
 * @param limit of the statement; no range gives more @param also a condition on `m`
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

/** The same UIDs in few ranges, in order. */
export function disjoint(ranges: readonly UidRange[]): UidRange[] {
  const joined: UidRange[] = [];
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = joined.at(-1);
    if (before !== undefined && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

/** What is above a UID, of ranges or parts of them. */
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

/** As PostgreSQL takes them for `int4multirange`, whose look-up takes few steps however many there are. */
export function uidSet(ranges: readonly UidRange[]): string {
  // It keeps the number behind the end of a range, and there is none behind the greatest one: that range has no end.
  const written = ranges
    .filter(({ first }) => first <= MAX_UID)
    .map(({ first, last }) => (last < MAX_UID ? `[${first},${last}]` : `[${first},)`));
  return `{${written.join(',')}}`;
}

/** UIDs that PostgreSQL put together with `int4send`. */
export function unpackUids(slices: readonly Buffer[]): Uint32Array {
  const uids = new Uint32Array(slices.reduce((sum, { length }) => sum + length, 0) / 4);
  const octets = Buffer.from(uids.buffer);
  let at = 0;
  for (const slice of slices) at += slice.copy(octets, at);
  // The greatest byte comes first.
  octets.swap32();
  return uids;
}
