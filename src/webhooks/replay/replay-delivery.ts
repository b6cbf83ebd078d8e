import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { recordChange } from '../../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { TEST_EVENT } from '../../model/event-keys.ts';
import { encodeId } from '../../model/ids.ts';
import { STORED_ATTEMPTS } from '../past-attempts.ts';

/**
 * Moves a failed delivery from the log to the due deliveries, with a new series of attempts. A pending delivery is not changed, so
 * repeating the request sends nothing twice.
 * @throws AppError not-found; bad-request for a delivery that succeeded, a test, or a delivery of a disabled webhook
 */
export async function replayDelivery(
  database: Database,
  projectId: string,
  deliveryId: string,
): Promise<void> {
  const isDue = await database.transaction().execute(async (tx) => {
    const isReplayed = await makeDue(tx, projectId, deliveryId);
    if (isReplayed)
      await recordChange(tx, {
        of: { projectId },
        action: 'webhook.replay-delivery',
        target: encodeId('dlv', deliveryId),
      });
    return isReplayed;
  });
  if (!isDue) await explain(database, projectId, deliveryId);
}

async function makeDue(tx: DatabaseTransaction, projectId: string, deliveryId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with replayed as (
      delete from deliveries d using webhooks w
      where w.project_id = ${projectId} and w.enabled
        and d.project_id = w.project_id and d.webhook_id = w.id and d.id = ${deliveryId}
        and d.status = 'failed' and d.type <> ${TEST_EVENT}
      returning d.project_id, d.webhook_id, d.id, d.event_id, d.email_id, d.type, d.max_attempts, ${STORED_ATTEMPTS} as past_attempts
    )
    insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, max_attempts, past_attempts, next_attempt_at)
    select project_id, webhook_id, id, event_id, email_id, type, max_attempts, past_attempts, now() from replayed`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** Throws an error that says why the delivery was not made due. Does not throw if the delivery is pending. */
async function explain(database: Database, projectId: string, deliveryId: string): Promise<void> {
  const { rows } = await columnsOf({ status: 'text', type: 'text' }).sql`
    select d.status, d.type
    from (
      select project_id, webhook_id, id, status, type from deliveries
      union all
      select project_id, webhook_id, id, 'pending', type from due_deliveries
    ) d
    join webhooks w on w.project_id = d.project_id and w.id = d.webhook_id
    where w.project_id = ${projectId} and d.id = ${deliveryId}`.execute(database);
  const [found] = rows;
  if (found === undefined)
    throw new AppError('not-found', 'There is no such delivery in this project. Check the id.');
  if (found.type === TEST_EVENT) {
    throw new AppError('bad-request', 'This delivery was a test. Send another test event instead.');
  }
  if (found.status === 'pending') return;
  if (found.status !== 'failed') {
    throw new AppError('bad-request', 'This delivery succeeded. Only failed deliveries can be sent again.');
  }
  throw new AppError('bad-request', 'The webhook of this delivery is disabled. Enable the webhook first.');
}
