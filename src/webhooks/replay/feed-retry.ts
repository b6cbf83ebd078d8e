/**
 * A step of a retry of all pending deliveries: makes a few deliveries due that wait for a later attempt, in the transaction that saves the
 * progress. Every attempt counts, so a receiver that still fails must not use them up: the first step makes only a few deliveries due, and a
 * further step needs a delivery that succeeded since the last one. Without a success the retry ends, and the other deliveries keep their
 * times.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import { uuidArray } from '../../db/arrays.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { HAS_KEY, WEBHOOK_KEY, type WebhookKey } from '../deliver/claim-deliveries.ts';
import { lockInProgress, MAX_DUE } from './feed-replay.ts';

/** The number of deliveries that show whether the receiver works again. */
export const FIRST_DELIVERIES = 4;
/** The maximum number of rows that one step reads. */
const ROWS = 5_000;
/** The maximum number of retries that one round handles. Further retries follow when these retries end. */
const MAX_RETRIES = 200;

/** Retries in progress. */
export async function findRetries(database: Database): Promise<WebhookKey[]> {
  const { rows } = await WEBHOOK_KEY.sql`
    select project_id, webhook_id from webhook_retries where ended_at is null order by started_at limit ${MAX_RETRIES}`.execute(
    database,
  );
  return rows;
}

/** Times are PostgreSQL's text, to the microsecond. */
const RUNNING = columnsOf({
  startedAt: 'text',
  afterAt: 'text',
  afterEventId: 'uuid',
  hasBegun: 'bool',
  /** Whether a delivery succeeded after deliveries were last made due. */
  hasSucceeded: 'bool',
  enabled: 'bool',
  /** Deliveries that the retry made due and whose attempt has not ended. */
  openIds: 'uuid[]',
  /** The number of due deliveries of this webhook that have not begun, at most MAX_DUE. */
  dueCount: 'int4',
});

type RunningRetry = RowOf<typeof RUNNING>;

/**
 * Makes the next deliveries of a retry due, if the queue of its webhook is short. Skips a retry that another process is working on.
 * @returns the number of deliveries
 */
export function feedRetry(database: Database, key: WebhookKey): Promise<number> {
  return database.transaction().execute(async (tx) => {
    if (!(await lockInProgress(tx, 'webhookRetries', key))) return 0;
    const { rows } = await RUNNING.sql`
      select r.started_at::text as started_at, r.after_at::text as after_at, r.after_event_id, r.opened_at is not null as has_begun,
             coalesce(w.last_success_at >= r.opened_at, false) as has_succeeded, w.enabled,
             array(
               select d.id from due_deliveries d
               where d.project_id = any(array[r.project_id]) and d.id = any(r.open_ids) and (d.next_attempt_at <= statement_timestamp() or d.lease_id is not null)
             ) as open_ids,
             (select count(*)::int from (
               select from due_deliveries d where d.webhook_id = r.webhook_id and d.next_attempt_at <= statement_timestamp() limit ${MAX_DUE}
             ) due) as due_count
      from webhook_retries r join webhooks w on w.project_id = r.project_id and w.id = r.webhook_id
      where r.project_id = ${key.projectId} and r.webhook_id = ${key.webhookId}`.execute(tx);
    const [running] = rows;
    if (running === undefined) return 0;
    const { enabled, hasBegun, hasSucceeded, openIds, dueCount } = running;
    if (!enabled) return end(tx, key, 'disabled');
    if (hasBegun && !hasSucceeded) return openIds.length > 0 ? 0 : end(tx, key, 'failing');
    const free = MAX_DUE - dueCount;
    return free > 0 ? makeDue(tx, key, running, free) : 0;
  });
}

/**
 * Makes the next deliveries due, in the order in which they would be due anyway. The first ones instead are those that were attempted longest
 * ago, but not in their last attempt. So a further request does not use up the attempts of the same few deliveries.
 */
async function makeDue(
  tx: DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
  { startedAt, afterAt, afterEventId, openIds, hasBegun }: RunningRetry,
  free: number,
): Promise<number> {
  const most = hasBegun ? free : Math.min(free, FIRST_DELIVERIES);
  const order = hasBegun
    ? sql`next_attempt_at, event_id`
    : sql`attempts + 1 >= max_attempts, last_attempt_at nulls first, next_attempt_at, event_id`;
  // Without bitmap scans, the statement reads only the rows that it needs, in index order.
  await sql`set local enable_bitmapscan = off`.execute(tx);
  const { rows } = await columnsOf({ retried: 'int4' }).sql`
    with walked as materialized (
      select id, next_attempt_at, event_id, attempts, max_attempts, last_attempt_at,
             lease_id is null and (last_attempt_at is null or last_attempt_at < ${startedAt}::timestamptz) as is_next
      from due_deliveries
      where webhook_id = ${webhookId} and project_id = ${projectId} and next_attempt_at > statement_timestamp()
        and (next_attempt_at, event_id) > (${afterAt}::timestamptz, ${afterEventId}::uuid)
      order by next_attempt_at, event_id limit ${ROWS}
    ), chosen as materialized (
      select id from walked where is_next order by ${order} limit ${most}
    ), locked as materialized (
      -- Rows that another transaction has locked are skipped, because waiting could end in a deadlock. A later step finds them again.
      select d.project_id, d.id from chosen c
      cross join lateral (
        select d.project_id, d.id from due_deliveries d where d.project_id = ${projectId} and d.id = c.id and d.lease_id is null
        for no key update skip locked
      ) d
    ), due as (
      update due_deliveries d set next_attempt_at = statement_timestamp() from locked k where ${HAS_KEY} returning d.id
    ), first_left as materialized (
      select next_attempt_at, event_id from walked where is_next and id not in (select id from due)
      order by next_attempt_at, event_id limit 1
    ), reached as (
      -- The next step begins with the first row that is left.
      select w.next_attempt_at, w.event_id from walked w left join first_left f on true
      where f.event_id is null or (w.next_attempt_at, w.event_id) < (f.next_attempt_at, f.event_id)
      order by w.next_attempt_at desc, w.event_id desc limit 1
    ), counted as (
      select (select count(*)::int from due) as retried,
             not exists (select from first_left) and (select count(*) from walked) < ${ROWS} as is_done
    )
    update webhook_retries
    set after_at = coalesce((select next_attempt_at from reached), after_at),
        after_event_id = coalesce((select event_id from reached), after_event_id),
        retried = webhook_retries.retried + c.retried,
        open_ids = ${uuidArray(openIds)}::uuid[] || array(select id from due),
        opened_at = case when c.retried > 0 then statement_timestamp() else opened_at end,
        ended_at = case when c.is_done then now() end,
        ended_by = case when c.is_done then 'done' end
    from counted c
    where project_id = ${projectId} and webhook_id = ${webhookId}
    returning c.retried`.execute(tx);
  return rows[0]?.retried ?? 0;
}

async function end(tx: DatabaseTransaction, key: WebhookKey, endedBy: 'disabled' | 'failing'): Promise<0> {
  await tx
    .updateTable('webhookRetries')
    .set({ endedAt: sql`now()`, endedBy })
    .where('projectId', '=', key.projectId)
    .where('webhookId', '=', key.webhookId)
    .execute();
  return 0;
}
