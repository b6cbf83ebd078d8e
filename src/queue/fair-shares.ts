/**
 * Turns between those whose mail is in the queue: they go from project to project, and within a project from stream to
 * stream. An index that begins with both gives the next one in one step, however many rows each has.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import type { QueueStream } from '../model/streams.ts';

/** Columns of statements that return it. */
export const PROJECT_STREAM = columnsOf({ projectId: 'uuid', stream: shaped<QueueStream>('text') });

/** Whose turn it is. */
export type ProjectStream = RowOf<typeof PROJECT_STREAM>;

/** Rows of the queue that an index has in the order of their project, their stream, and one more column. */
export interface Indexed {
  /** The condition of the index. */
  which: RawBuilder<unknown>;
  /** The column that comes after project and stream, and its type. */
  by: { column: string; type: 'timestamptz' | 'uuid' };
  /** Up to which value of the column rows are wanted. Null: all. */
  upTo: RawBuilder<unknown> | null;
  /** What else is asked of a row. */
  and: RawBuilder<unknown>;
}

export interface FairShareOptions {
  /** Whose turn was last. */
  after: ProjectStream;
  /** They have no turn. */
  leaveOut: readonly ProjectStream[];
}

const TURN = columnsOf({
  ...PROJECT_STREAM.kinds,
  /** How many there are, as far as they were looked at. 0 where nothing is wanted. */
  rows: 'int4',
  /** The lowest value of the column. */
  first: 'text?',
});

/** A project's stream that has such rows. */
export type WaitingStream = RowOf<typeof TURN>;

export interface FairShares {
  /** In their order: behind the one whose turn was last. */
  turns: WaitingStream[];
  /** Whether all were looked at. */
  areAll: boolean;
  /** Whether the last one of all was looked at: there the next round begins. */
  isRound: boolean;
  /** No more rows of each were looked at. */
  lookedAt: number;
}

/** Before all others. */
export const FIRST_STREAM: ProjectStream = {
  projectId: '00000000-0000-0000-0000-000000000000',
  stream: 'transactional',
};
/** After all others: no UUIDv7 is as high. */
const END = sql.raw(`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, 'transactional'::stream`);
/** Streams that are looked at: however many there are, it takes no longer. 5 to 8 microseconds each. */
const MAX_TURNS = 1_000;
/** Rows that are looked at: some streams have few, and others have their turns then. */
const MAX_ROWS = 1_600;

const STREAMS = rowsOf<ProjectStream>('s', {
  project_id: ['uuid', ({ projectId }) => projectId],
  stream: ['stream', ({ stream }) => stream],
});

/**
 * The streams of projects that have rows in the index, for `with recursive`, as
 * `turns (project_id, stream, first, lap, place, is_wanted, wanted)`: `first` is the lowest value of the index's column, `place` gives
 * the order. Those behind `after` come first, in lap 1; then come the others up to it, in lap 2. There are no more behind
 * `limit` of which rows are wanted. Those that are left out do not count: they could be all that is looked at.
 */
export function findingFairShares(
  { which, by, upTo }: Indexed,
  { after, leaveOut }: FairShareOptions = { after: FIRST_STREAM, leaveOut: [] },
  limit = MAX_TURNS,
): Cte {
  const column = sql.raw(`r.${by.column}`);
  const isWanted = sql`
    ${upTo === null ? sql`true` : sql`next.first <= ${upTo}`}
    and (next.project_id, next.stream) not in (select ${STREAMS.values} from ${STREAMS.from(leaveOut)})`;
  const last = sql`${after.projectId}::uuid, ${after.stream}::stream`;
  const next = (lap: RawBuilder<unknown>, bounds: RawBuilder<unknown>, end: RawBuilder<unknown>) => sql`
    (select r.project_id, r.stream, ${column} as first, ${lap}, ${end} from queue r
     where ${which} and ${bounds} order by r.project_id, r.stream, ${column} limit 1)`;
  const around = sql`
    around (project_id, stream, first, lap, end_project_id, end_stream, place, is_wanted, wanted) as (
      select ${last}, null::${sql.raw(by.type)}, 1, ${END}, 0, false, 0
      union all
      select next.*, around.place + 1, asked.is_wanted, around.wanted + asked.is_wanted::int
      from around, lateral (
        ${next(
          sql`around.lap`,
          sql`(r.project_id, r.stream) > (around.project_id, around.stream)
            and (r.project_id, r.stream) <= (around.end_project_id, around.end_stream)`,
          sql`around.end_project_id, around.end_stream`,
        )}
        union all
        ${next(sql`2`, sql`around.lap = 1 and (r.project_id, r.stream) <= (${last})`, last)}
        limit 1
      ) next, lateral (select ${isWanted} as is_wanted) asked
      where around.place < ${sql.lit(MAX_TURNS)} and around.wanted < ${limit}::int
    )`;
  return cte(
    'turns',
    sql`select project_id, stream, first, lap, place, is_wanted, wanted from around where place > 0`,
    around,
  );
}

/** Finds whose turns are next. */
export async function findFairShares(
  database: Database,
  indexed: Indexed,
  limit: number,
  options: FairShareOptions,
): Promise<FairShares> {
  const { which, by, upTo, and } = indexed;
  const column = sql.raw(`r.${by.column}`);
  const isUpTo = (value: RawBuilder<unknown>) => (upTo === null ? sql`true` : sql`${value} <= ${upTo}`);
  const turns = findingFairShares(indexed, options, limit);
  const { rows } = await columnsOf({ ...TURN.kinds, lap: 'int4', wanted: 'int4', lookedAt: 'int4' }).sql`
    with recursive ${turns.sql}, bound as materialized (
      select least(${limit}::int, ${sql.lit(MAX_ROWS)} / greatest(count(*), 1)::int + 1) as rows from ${turns.name} where is_wanted
    )
    select asked.project_id, asked.stream, asked.lap, asked.wanted, coalesce(found.rows, 0) as rows, found.first, bound.rows as looked_at
    from ${turns.name} asked cross join bound left join lateral (
      select count(*)::int as rows, (array_agg(value order by value))[1]::text as first from (
        select ${column} as value from queue r
        where ${which} and r.project_id = asked.project_id and r.stream = asked.stream
          and ${column} >= asked.first and ${isUpTo(column)} and ${and}
        order by ${column} limit bound.rows
      ) found
    ) found on asked.is_wanted
    order by asked.place`.execute(database);
  const end = rows.at(-1);
  const areAll = rows.length < MAX_TURNS && (end?.wanted ?? 0) < limit;
  return {
    turns: rows,
    areAll,
    isRound: areAll || end?.lap === 2,
    lookedAt: rows[0]?.lookedAt ?? 0,
  };
}

/**
 * Gives turns, one row each, until as many are given as there may be.
 * @returns how many rows each stream has got, and whose turn was last
 */
export function giveFairShares(
  turns: readonly WaitingStream[],
  limit: number,
): { shares: Map<WaitingStream, number>; last: WaitingStream | null } {
  const shares = new Map<WaitingStream, number>();
  const projects = new Map<string, WaitingStream[]>();
  for (const turn of turns) {
    if (turn.rows === 0) continue;
    const streams = projects.get(turn.projectId);
    if (streams === undefined) projects.set(turn.projectId, [turn]);
    else streams.push(turn);
  }
  let left = limit;
  let last: WaitingStream | null = null;
  while (left > 0 && projects.size > 0) {
    for (const [projectId, streams] of projects) {
      if (left === 0) break;
      const turn = streams.shift() as WaitingStream;
      const share = (shares.get(turn) ?? 0) + 1;
      shares.set(turn, share);
      if (share < turn.rows) streams.push(turn);
      else if (streams.length === 0) projects.delete(projectId);
      last = turn;
      left -= 1;
    }
  }
  return { shares, last };
}
