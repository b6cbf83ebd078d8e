/**
 * Fair shares of the queue: round-robin between projects, and within a project between streams. An index that begins with the columns
 * `project_id` and `stream` finds the next stream in one step, however many rows each stream has.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import type { QueueStream } from '../model/streams.ts';

/** The columns that identify a stream of a project. */
export const PROJECT_STREAM = columnsOf({ projectId: 'uuid', stream: shaped<QueueStream>('text') });

/** A stream of a project. */
export type ProjectStream = RowOf<typeof PROJECT_STREAM>;

/** Rows of the queue in an index on project, stream and a third column. */
export interface Indexed {
  /** The condition of the partial index. */
  which: RawBuilder<unknown>;
  /** The name and type of the third column. */
  by: { column: string; type: 'timestamptz' | 'uuid' };
  /** The highest included value of the third column. Null: no upper bound. */
  upTo: RawBuilder<unknown> | null;
  /** A further condition on each row. */
  and: RawBuilder<unknown>;
}

export interface FairShareOptions {
  /** The stream that was served last. */
  after: ProjectStream;
  /** Streams that get no share of this claim. */
  leaveOut: readonly ProjectStream[];
}

const WAITING_STREAM = columnsOf({
  ...PROJECT_STREAM.kinds,
  /** The number of matching rows, counted up to a bound. 0 if the stream is left out or has no matching rows yet. */
  rows: 'int4',
  /** The lowest value of the third index column. */
  first: 'text?',
});

/** A stream of a project with rows in the index. */
export type WaitingStream = RowOf<typeof WAITING_STREAM>;

export interface FairShares {
  /** The streams in order, beginning after the stream that was served last. */
  streams: WaitingStream[];
  /** Whether all streams were scanned. */
  scannedAll: boolean;
  /** Whether the scan wrapped around to the first stream. */
  hasWrapped: boolean;
  /** The bound up to which rows of each stream were counted. */
  rowBound: number;
}

/** Sorts before all other streams. */
export const FIRST_STREAM: ProjectStream = {
  projectId: '00000000-0000-0000-0000-000000000000',
  stream: 'transactional',
};
/** Sorts after all other streams, because every UUIDv7 is lower. */
const END = sql.raw(`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, 'transactional'::stream`);
/** The maximum number of streams that a claim scans. Each stream takes 5 to 8 µs, so more streams would slow the claim. */
export const MAX_STREAMS = 1_000;
/** The maximum number of rows counted, divided among the scanned streams. */
const MAX_ROWS = 1_600;

const STREAMS = rowsOf<ProjectStream>('s', {
  project_id: ['uuid', ({ projectId }) => projectId],
  stream: ['stream', ({ stream }) => stream],
});

/**
 * CTE for `with recursive`: the streams that have rows in the index, as `fair_shares (project_id, stream, first, lap, place, is_wanted, wanted)`.
 * `first` is the lowest value of the third index column, and `place` gives the order. Lap 1 scans the streams after `after`; lap 2 wraps
 * around and scans the streams up to `after`. The scan stops after `limit` streams with wanted rows. Streams in `leaveOut` do not count,
 * because they could use up the whole limit.
 */
export function findingFairShares(
  { which, by, upTo }: Indexed,
  { after, leaveOut }: FairShareOptions = { after: FIRST_STREAM, leaveOut: [] },
  limit = MAX_STREAMS,
): Cte {
  const column = sql.raw(`r.${by.column}`);
  const isIncluded = sql`
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
      select next.*, around.place + 1, candidate.is_wanted, around.wanted + candidate.is_wanted::int
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
      ) next, lateral (select ${isIncluded} as is_wanted) candidate
      where around.place < ${sql.lit(MAX_STREAMS)} and around.wanted < ${limit}::int
    )`;
  return cte(
    'fair_shares',
    sql`select project_id, stream, first, lap, place, is_wanted, wanted from around where place > 0`,
    around,
  );
}

/** Finds the next streams to serve, and the number of rows in each stream. */
export async function findFairShares(
  database: Database,
  indexed: Indexed,
  limit: number,
  options: FairShareOptions,
): Promise<FairShares> {
  const { which, by, upTo, and } = indexed;
  const column = sql.raw(`r.${by.column}`);
  const isUpTo = (value: RawBuilder<unknown>) => (upTo === null ? sql`true` : sql`${value} <= ${upTo}`);
  const fairShares = findingFairShares(indexed, options, limit);
  const { rows } = await columnsOf({ ...WAITING_STREAM.kinds, lap: 'int4', wanted: 'int4', rowBound: 'int4' })
    .sql`
    with recursive ${fairShares.sql}, bound as materialized (
      select least(${limit}::int, ${sql.lit(MAX_ROWS)} / greatest(count(*), 1)::int + 1) as rows from ${fairShares.name} where is_wanted
    )
    select candidate.project_id, candidate.stream, candidate.lap, candidate.wanted, coalesce(found.rows, 0) as rows, found.first, bound.rows as row_bound
    from ${fairShares.name} candidate cross join bound left join lateral (
      select count(*)::int as rows, (array_agg(value order by value))[1]::text as first from (
        select ${column} as value from queue r
        where ${which} and r.project_id = candidate.project_id and r.stream = candidate.stream
          and ${column} >= candidate.first and ${isUpTo(column)} and ${and}
        order by ${column} limit bound.rows
      ) found
    ) found on candidate.is_wanted
    order by candidate.place`.execute(database);
  const end = rows.at(-1);
  const scannedAll = rows.length < MAX_STREAMS && (end?.wanted ?? 0) < limit;
  return {
    streams: rows,
    scannedAll,
    hasWrapped: scannedAll || end?.lap === 2,
    rowBound: rows[0]?.rowBound ?? 0,
  };
}

/**
 * Shares out up to `limit` rows round-robin, one row at a time.
 * @returns the number of rows for each stream, and the stream that was served last
 */
export function divideFairly(
  waiting: readonly WaitingStream[],
  limit: number,
): { shares: Map<WaitingStream, number>; last: WaitingStream | null } {
  const shares = new Map<WaitingStream, number>();
  const projects = new Map<string, WaitingStream[]>();
  for (const stream of waiting) {
    if (stream.rows === 0) continue;
    const streams = projects.get(stream.projectId);
    if (streams === undefined) projects.set(stream.projectId, [stream]);
    else streams.push(stream);
  }
  let left = limit;
  let last: WaitingStream | null = null;
  while (left > 0 && projects.size > 0) {
    for (const [projectId, streams] of projects) {
      if (left === 0) break;
      const stream = streams.shift() as WaitingStream;
      const share = (shares.get(stream) ?? 0) + 1;
      shares.set(stream, share);
      if (share < stream.rows) streams.push(stream);
      else if (streams.length === 0) projects.delete(projectId);
      last = stream;
      left -= 1;
    }
  }
  return { shares, last };
}
