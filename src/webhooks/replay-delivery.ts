import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { TEST_EVENT } from '../model/event-keys.ts';

/**
 * Makes a failed delivery due again. It gets all its attempts anew.
 * @throws AppError not-found; bad-request for one that did not fail, a test, and one of a disabled webhook
 */
export async function replayDelivery(
  database: Database,
  projectId: string,
  deliveryId: string,
): Promise<void> {
  const { numAffectedRows } = await sql`
    update deliveries d
    set status = 'pending', attempts = 0, next_attempt_at = now(), lease_id = null, last_attempt_at = null, http_status = null, error = null,
        duration_ms = null, response_body = null, response_truncated = false
    from webhooks w
    where w.project_id = ${projectId} and w.enabled
      and d.project_id = w.project_id and d.webhook_id = w.id and d.id = ${deliveryId}
      and d.status = 'failed' and d.type <> ${TEST_EVENT}`.execute(database);
  if (numAffectedRows === 1n) return;
  const found = await database
    .selectFrom('webhooks')
    .innerJoin('deliveries', (join) =>
      join
        .onRef('deliveries.projectId', '=', 'webhooks.projectId')
        .onRef('deliveries.webhookId', '=', 'webhooks.id'),
    )
    .select(['status', 'type'])
    .where('webhooks.projectId', '=', projectId)
    .where('deliveries.id', '=', deliveryId)
    .executeTakeFirst();
  if (found === undefined) throw new AppError('not-found', 'There is no such delivery in this project.');
  if (found.type === TEST_EVENT) {
    throw new AppError('bad-request', 'This delivery was a test: make another one with the test operation.');
  }
  if (found.status !== 'failed') {
    throw new AppError('bad-request', `This delivery is ${found.status}: only a failed one is sent again.`);
  }
  throw new AppError('bad-request', 'The webhook of this delivery is disabled: enable it first.');
}
