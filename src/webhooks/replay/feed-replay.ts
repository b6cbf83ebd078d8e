/**
 * A step of a replay: moves a few failed deliveries from the log to the due deliveries, in the transaction that saves the progress of the
 * replay. So a crash neither repeats nor skips a delivery.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import { uuidArray } from '../../db/arrays.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { TEST_EVENT } from '../../model/event-keys.ts';
import { WEBHOOK_KEY, type WebhookKey } from '../deliver/claim-deliveries.ts';
import { STORED_ATTEMPTS } from '../past-attempts.ts';

/** The number of due deliveries up to which a replay or a retry fills the queue of a webhook. A new event waits behind at most this many. */
export const MAX_DUE = 16;
/** The maximum number of replays that one round handles. Further replays follow when these replays end. */
const MAX_REPLAYS = 200;

/** Replays in progress. */
export async function findReplays(database: Database): Promise<WebhookKey[]> {
  const { rows } = await WEBHOOK_KEY.sql`
    select project_id, webhook_id from webhook_replays where ended_at is null order by id limit ${MAX_REPLAYS}`.execute(
    database,
  );
  return rows;
}

const RUNNING = columnsOf({
  afterId: 'uuid',
  untilId: 'uuid',
  enabled: 'bool',
  /** The number of due deliveries of this webhook that have not begun, at most MAX_DUE. */
  dueCount: 'int4',
});

type RunningReplay = RowOf<typeof RUNNING>;

/**
 * Makes the next deliveries of a replay due, if the queue of its webhook is short. Skips a replay that another process is working on.
 * @returns the number of deliveries
 */
export function feedReplay(database: Database, key: WebhookKey): Promise<number> {
  return database.transaction().execute(async (tx) => {
    if (!(await lockInProgress(tx, 'webhookReplays', key))) return 0;
    const { rows } = await RUNNING.sql`
      select r.after_id, r.until_id, w.enabled,
             (select count(*)::int from (
               select from due_deliveries d where d.webhook_id = r.webhook_id and d.next_attempt_at <= statement_timestamp() limit ${MAX_DUE}
             ) due) as due_count
      from webhook_replays r join webhooks w on w.project_id = r.project_id and w.id = r.webhook_id
      where r.project_id = ${key.projectId} and r.webhook_id = ${key.webhookId}`.execute(tx);
    const [running] = rows;
    if (running === undefined) return 0;
    if (!running.enabled) {
      await end(tx, key, 'disabled');
      return 0;
    }
    return running.dueCount < MAX_DUE ? move(tx, key, running, MAX_DUE - running.dueCount) : 0;
  });
}

/**
 * Locks the replay or the retry of a webhook. This is a statement of its own, so that the next one sees what the previous holder of the lock
 * has committed. A statement that both locks and reads would get the new row, but everything else as it was before. For the same reason, the
 * next statement needs `statement_timestamp()`: `now()` may be earlier than the time of rows that have just become due.
 * @returns false if it has ended, or if another process is working on it
 */
export async function lockInProgress(
  tx: DatabaseTransaction,
  table: 'webhookReplays' | 'webhookRetries',
  { projectId, webhookId }: WebhookKey,
): Promise<boolean> {
  const row = await tx
    .selectFrom(table)
    .select('webhookId')
    .where((row) => rowIs(row, { projectId, webhookId }))
    .where('endedAt', 'is', null)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row !== undefined;
}

async function move(
  tx: DatabaseTransaction,
  key: WebhookKey,
  { afterId, untilId }: RunningReplay,
  most: number,
): Promise<number> {
  const { projectId, webhookId } = key;
  const isOfWebhook = sql`project_id = ${projectId} and webhook_id = ${webhookId} and status = 'failed'`;
  const { rows: next } = await columnsOf({ id: 'uuid', type: 'text' }).sql`
    select id, type from deliveries where ${isOfWebhook} and id > ${afterId} and id < ${untilId}
    order by id limit ${most}`.execute(tx);
  const last = next.at(-1);
  if (last === undefined) {
    await end(tx, key, 'done');
    return 0;
  }
  const ids = next.filter(({ type }) => type !== TEST_EVENT).map(({ id }) => id);
  // Only deliveries that are still failed are moved. A delivery may have been replayed by its ID in the meantime.
  const { rows } = await columnsOf({ replayed: 'int4' }).sql`
    with taken as (
      delete from deliveries d where ${isOfWebhook} and id = any (${uuidArray(ids)}::uuid[])
      returning d.project_id, d.webhook_id, d.id, d.event_id, d.email_id, d.type, d.max_attempts, ${STORED_ATTEMPTS} as past_attempts
    ), due as (
      insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, max_attempts, past_attempts, next_attempt_at)
      select project_id, webhook_id, id, event_id, email_id, type, max_attempts, past_attempts, now() from taken
      returning id
    )
    update webhook_replays
    set after_id = ${last.id}, replayed = replayed + (select count(*) from due)
    where project_id = ${projectId} and webhook_id = ${webhookId}
    returning (select count(*)::int from due) as replayed`.execute(tx);
  return rows[0]?.replayed ?? 0;
}

async function end(tx: DatabaseTransaction, key: WebhookKey, endedBy: 'done' | 'disabled'): Promise<void> {
  await tx
    .updateTable('webhookReplays')
    .set({ endedAt: sql`now()`, endedBy })
    .where('projectId', '=', key.projectId)
    .where('webhookId', '=', key.webhookId)
    .execute();
}
