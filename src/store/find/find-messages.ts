/** The messages in a folder that match a query. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../in-folder.ts';
import { MAX_UID, type UidRange, unpackUids } from '../uid-ranges.ts';
import { ID_OCTETS, packedUuidArray } from '../search/object-ids.ts';
import { conditionOf, leavesOf } from './conditions.ts';
import { LeafMatches } from './find-leaves.ts';
import type { MessageQuery } from './message-query.ts';

export interface MessageMatches {
  /** The UIDs in ascending order. */
  uids: Uint32Array;
  /** The maximum MODSEQ of all matches; 0 without matches. */
  highestModseq: number;
}

/** The number of rows that the first statement scans. Conditions on contents take several microseconds per row, other conditions 0.2 µs. */
const FIRST_SLICE = 10_000;
/** The maximum number of rows that a statement scans. */
const MAX_SLICE = 200_000;
/** Target duration of a statement, so that connections are not occupied for long. */
const SLICE_MS = 100;
/** If an index finds fewer messages than this, the messages are looked up one by one, and the folder is not scanned. */
const MAX_LOOKED_UP = 10_000;

const FOUND = columnsOf({ uids: 'bytea?', highestModseq: 'float8?' });
const SLICE = columnsOf({ ...FOUND.kinds, count: 'int4', last: 'int4?' });

/**
 * Scans a folder in slices. Messages that change or arrive in the meantime may or may not be found.
 * @param tick called between statements; if it throws, the search ends
 * @returns the messages, and the number of messages in the mailbox that its word index does not cover
 */
export async function findMessages(
  database: Database,
  folder: FolderKey,
  query: MessageQuery,
  tick: () => void,
): Promise<MessageMatches & { unindexed: number }> {
  const { projectId, mailboxId, folderId } = folder;
  const leaves = new LeafMatches();
  for (const leaf of leavesOf(query)) await leaves.find(database, { projectId, mailboxId }, leaf, tick);
  const condition = conditionOf(query, leaves);
  const few = fewestIds([query], leaves);
  const bounds = boundsOf([query]);
  const slices: Buffer[] = [];
  let highestModseq = 0;
  if (few !== null) {
    const { rows } = await FOUND.sql`
      select string_agg(int4send(uid), ''::bytea order by uid) as uids, max(modseq)::float8 as highest_modseq
      from messages m ${leaves.joins}
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = any(${packedUuidArray(few)}::uuid[])
        and m.folder_id = ${folderId} and ${condition}`.execute(database);
    slices.push(rows[0]?.uids ?? Buffer.alloc(0));
    highestModseq = rows[0]?.highestModseq ?? 0;
  }
  let after = bounds.first - 1;
  // Each id that is passed to a statement costs about a microsecond, so each statement scans at least as many rows as there are ids.
  const least = Math.max(FIRST_SLICE, leaves.size);
  // A join returns rows in any order, because PostgreSQL iterates over the ids if there are more ids than rows.
  const inOrder = leaves.size > 0 ? sql` order by uid` : sql``;
  for (let limit = least; few === null && after < bounds.last; ) {
    tick();
    const startedAt = performance.now();
    const { rows } = await SLICE.sql`
      select string_agg(int4send(uid), ''::bytea${inOrder}) filter (where is_found) as uids,
        (max(modseq) filter (where is_found))::float8 as highest_modseq, count(*)::int as count, max(uid) as last
      from (
        select uid, modseq, ${condition} as is_found from (
          select * from messages
          where project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}
            and uid > ${after} and uid <= ${bounds.last}
          order by uid limit ${limit}) m ${leaves.joins}
        offset 0) f`.execute(database);
    const [row] = rows;
    if (row === undefined || row.last === null) break;
    if (row.uids !== null) slices.push(row.uids);
    highestModseq = Math.max(highestModseq, row.highestModseq ?? 0);
    if (row.count < limit) break;
    after = row.last;
    const tookMs = performance.now() - startedAt;
    limit = Math.round(Math.max(least, Math.min(MAX_SLICE, (limit * SLICE_MS) / Math.max(tookMs, 5))));
  }
  return { uids: unpackUids(slices), highestModseq, unindexed: leaves.unindexed };
}

/** The shortest list of ids that contains all matches. Null if no list is short enough. */
function fewestIds(needed: readonly MessageQuery[], leaves: LeafMatches): Buffer | null {
  let fewest: Buffer | null = null;
  for (const one of needed) {
    const ids =
      'all' in one
        ? fewestIds(one.all, leaves)
        : 'text' in one || 'threadId' in one
          ? leaves.idsOf(one)
          : null;
    if (ids !== null && ids.length < (fewest?.length ?? MAX_LOOKED_UP * ID_OCTETS)) fewest = ids;
  }
  return fewest;
}

/** The range of UIDs that contains all matches. */
function boundsOf(needed: readonly MessageQuery[]): UidRange {
  let [first, last] = [1, MAX_UID];
  for (const one of needed) {
    if ('all' in one) {
      const inside = boundsOf(one.all);
      [first, last] = [Math.max(first, inside.first), Math.min(last, inside.last)];
    }
    if (!('uids' in one)) continue;
    first = Math.max(
      first,
      one.uids.reduce((least, range) => Math.min(least, range.first), MAX_UID),
    );
    last = Math.min(
      last,
      one.uids.reduce((most, range) => Math.max(most, range.last), 0),
    );
  }
  return { first, last };
}
