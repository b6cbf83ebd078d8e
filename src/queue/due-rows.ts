/** Mail that is due and waits for a worker. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { timeOfId } from '../db/time-of-id.ts';
import { DUE } from './claim.ts';
import { findingFairShares } from './fair-shares.ts';

/** The rows that are read of each stream of a project, and of an installation with one stream. */
const MAX_ROWS = 1_000;

/**
 * The time at which an email was accepted. Mail with a priority boost is due earlier than this (`priority-boosts.ts`), which must not count
 * as waiting.
 */
const BEGAN = sql`to_timestamp(${timeOfId(sql`r.email_id`)} / 1000.0)`;

/**
 * The due rows of each row of `streams`, a relation with the columns `project_id` and `stream`. Those that have been due longest come first,
 * because workers claim them first. Parked rows, which wait for their destination, are not due. Columns: `lease_id`, `in_flight`, `stream`,
 * `email_id`, `due_since`. The order matches an index; without it, PostgreSQL would read the whole table.
 */
export function dueRows(limit: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    lateral (
      select r.lease_id, r.in_flight, r.stream, r.email_id,
        case when r.stream = 'mailbox' then greatest(r.next_attempt_at, ${BEGAN}) else r.next_attempt_at end as due_since
      from queue r
      where r.next_attempt_at < 'infinity' and r.next_attempt_at <= now()
        and r.project_id = streams.project_id and r.stream = streams.stream
      order by r.next_attempt_at limit ${limit}
    )`;
}

/**
 * Since when mail of `dueRows`, with the alias `due`, has waited for longer than it does while all is well: a worker claims a due row within a second, but bulk
 * mail may wait for its turn. Null: nothing has.
 */
const DELAYED_SINCE = sql`
  min(due.due_since) filter (where due.lease_id is null
    and due.due_since < now() - case due.stream when 'bulk' then interval '15 minutes' else interval '1 minute' end)`;

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
    select count(distinct email_id)::int as emails, coalesce(max(rows) = ${sql.lit(MAX_ROWS)}, false) as is_more, ${DELAYED_SINCE} as delayed_since
    from (
      select due.*, count(*) over (partition by due.stream) as rows from streams, ${dueRows(sql.lit(MAX_ROWS))} due
    ) due`.execute(database);
  return rows[0] ?? { emails: 0, isMore: false, delayedSince: null };
}

/** Like `DueMail.delayedSince`, for all projects. */
export async function readDelay(database: Database): Promise<Date | null> {
  const fairShares = findingFairShares(DUE);
  const { rows } = await OF_ALL.sql`
    with recursive ${fairShares.sql}, streams as materialized (
      select *, ${sql.lit(MAX_ROWS)} / count(*) over () + 1 as rows from ${fairShares.name}
    )
    select ${DELAYED_SINCE} as delayed_since from streams, ${dueRows(sql`streams.rows`)} due`.execute(
    database,
  );
  return rows[0]?.delayedSince ?? null;
}
