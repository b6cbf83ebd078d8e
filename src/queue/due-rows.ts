/** Mail that is due and waits for a worker. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { timeOfId } from '../db/time-of-id.ts';
import { DUE } from './claim.ts';
import { findingFairShares } from './fair-shares.ts';

/** The emails of a project are counted in so many rows of each stream. */
const MAX_ROWS = 1_000;
/** The claimed rows of a stream that are skipped to find one that waits: what one worker holds at most. */
const MAX_SKIPPED = 20_000;
/** The same for all streams of an installation, divided evenly among them. */
const MAX_SKIPPED_OF_ALL = 100_000;

/**
 * The time at which an email was accepted. Mail with a priority boost is due earlier than this (`priority-boosts.ts`), which must not count
 * as waiting.
 */
const BEGAN = sql`to_timestamp(${timeOfId(sql`r.email_id`)} / 1000.0)`;

const DUE_SINCE = sql`case r.stream when 'mailbox' then greatest(r.next_attempt_at, ${BEGAN}) else r.next_attempt_at end`;

/**
 * The due rows of each row of `streams`, a relation with the columns `project_id` and `stream`. Those that have been due longest come first,
 * because workers claim them first. Parked rows, which wait for their destination, are not due. Columns: `lease_id`, `in_flight`, `stream`,
 * `email_id`, `due_since`. The order matches an index; without it, PostgreSQL would read the whole table.
 */
export function dueRows(limit: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    lateral (
      select r.lease_id, r.in_flight, r.stream, r.email_id, ${DUE_SINCE} as due_since
      from queue r
      where r.next_attempt_at < 'infinity' and r.next_attempt_at <= now()
        and r.project_id = streams.project_id and r.stream = streams.stream
      order by r.next_attempt_at limit ${limit}
    )`;
}

/** A worker claims a due row within a second while all is well, but bulk mail may wait for its turn. */
const PATIENCE = sql`case streams.stream when 'bulk' then interval '15 minutes' else interval '1 minute' end`;
/** A row that is claimed, but not begun after this time, waits for a worker that hangs. */
const PATIENCE_IF_CLAIMED = sql`interval '15 minutes'`;

/**
 * The first row of each row of `streams` (as in `dueRows`) that waits for longer than it should. Column: `delayed_since`. Claimed rows come
 * first in the index, because they have been due longest; `limit` bounds how many of them are skipped.
 */
function delayedRow(limit: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    lateral (
      select late.due_since as delayed_since
      from (
        select ${DUE_SINCE} as due_since, r.lease_id, r.in_flight
        from queue r
        where r.next_attempt_at < 'infinity' and r.next_attempt_at < now() - ${PATIENCE}
          and r.project_id = streams.project_id and r.stream = streams.stream
        order by r.next_attempt_at limit ${limit}
      ) late
      where not late.in_flight
        and late.due_since < now() - case when late.lease_id is null then ${PATIENCE} else ${PATIENCE_IF_CLAIMED} end
      limit 1
    )`;
}

const OF_PROJECT = columnsOf({ emails: 'int4', isMore: 'bool', delayedSince: 'timestamptz?' });
const OF_ALL = columnsOf({ delayedSince: 'timestamptz?' });

export interface DueMail {
  /** Emails with a due recipient, counted up to a limit. */
  emails: number;
  /** Whether there may be more. */
  isMore: boolean;
  /** The time at which the oldest email fell due that has waited too long for a worker. Null: no email has. */
  delayedSince: Date | null;
}

export async function readDueMail(database: Database, projectId: string): Promise<DueMail> {
  const { rows } = await OF_PROJECT.sql`
    with streams as (
      select ${projectId}::uuid as project_id, stream from unnest(enum_range(null::stream)) stream
    )
    select count(distinct email_id)::int as emails, coalesce(max(rows) = ${sql.lit(MAX_ROWS)}, false) as is_more,
      (select min(delayed_since) from streams, ${delayedRow(sql.lit(MAX_SKIPPED))} each) as delayed_since
    from (
      select due.email_id, count(*) over (partition by due.stream) as rows from streams, ${dueRows(sql.lit(MAX_ROWS))} due
    ) due`.execute(database);
  return rows[0] ?? { emails: 0, isMore: false, delayedSince: null };
}

/** Like `DueMail.delayedSince`, for all projects. */
export async function readDelay(database: Database): Promise<Date | null> {
  const fairShares = findingFairShares(DUE);
  const { rows } = await OF_ALL.sql`
    with recursive ${fairShares.sql}, streams as materialized (
      select *, ${sql.lit(MAX_SKIPPED_OF_ALL)} / count(*) over () + 1 as rows from ${fairShares.name}
    )
    select min(delayed_since) as delayed_since from streams, ${delayedRow(sql`streams.rows`)} each`.execute(
    database,
  );
  return rows[0]?.delayedSince ?? null;
}
