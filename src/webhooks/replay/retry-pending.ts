/**
 * Retries all pending deliveries of a webhook before their time, for example after its receiver was repaired. The request only records the
 * retry. Workers make the deliveries due, a few at a time (`feed-retry.ts`).
 */
import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import type { WebhookRetry } from '../../contract/dashboard/webhooks.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId, NIL_UUID } from '../../model/ids.ts';
import type { WebhookKey } from '../deliver/claim-deliveries.ts';
import { countRetryable } from '../log/find-deliveries.ts';
import { lockWebhook, MAX_COUNTED, stopInProgress } from './replay-failed.ts';

/**
 * Begins a retry of the deliveries that wait for a later attempt. If a retry is in progress, that retry is returned, so repeating the
 * request uses no further attempt.
 * @returns null if the project has no such webhook
 * @throws AppError bad-request for a disabled webhook
 */
export function retryPending(database: Database, key: WebhookKey): Promise<WebhookRetry | null> {
  const { projectId, webhookId } = key;
  return database.transaction().execute(async (tx) => {
    const webhook = await lockWebhook(tx, key);
    if (webhook === null) return null;
    if (!webhook.enabled)
      throw new AppError(
        'bad-request',
        'This webhook is disabled, so no delivery is pending. Enable it first.',
      );
    const current = await findRetry(tx, key);
    if (current !== null && current.ended_at === null) return current;
    const total = await countRetryable(tx, key, MAX_COUNTED);
    const hasEnded = total === 0;
    await sql`
      insert into webhook_retries (project_id, webhook_id, started_at, after_at, after_event_id, total, ended_at, ended_by)
      values (${projectId}, ${webhookId}, now(), now(), ${NIL_UUID}, ${total}, case when ${hasEnded} then now() end,
        case when ${hasEnded} then 'done' end)
      on conflict (project_id, webhook_id) do update
      set started_at = excluded.started_at, after_at = excluded.after_at, after_event_id = excluded.after_event_id, total = excluded.total,
          retried = 0, open_ids = '{}', opened_at = null, ended_at = excluded.ended_at, ended_by = excluded.ended_by`.execute(
      tx,
    );
    await recordChange(tx, {
      of: { projectId },
      action: 'webhook.retry-pending',
      target: encodeId('wh', webhookId),
      targetName: webhook.url,
      after: { deliveries: total },
    });
    return findRetry(tx, key);
  });
}

/**
 * Ends the retry in progress. Deliveries that were not made due keep the time of their next attempt.
 * @returns the ended retry, even if it had ended earlier; null if the webhook had no retry
 */
export function stopRetry(database: Database, key: WebhookKey): Promise<WebhookRetry | null> {
  return database.transaction().execute(async (tx) => {
    await stopInProgress(tx, 'webhookRetries', key);
    return findRetry(tx, key);
  });
}

/** The last retry of a webhook. Null if the webhook had no retry. */
export async function findRetry(
  database: Database | DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
): Promise<WebhookRetry | null> {
  const row = await database
    .selectFrom('webhookRetries')
    .selectAll()
    .where((row) => rowIs(row, { projectId, webhookId }))
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    started_at: row.startedAt.toISOString(),
    total: row.total,
    has_more: row.total === MAX_COUNTED,
    retried: row.retried,
    ended_at: row.endedAt?.toISOString() ?? null,
    ended_by: row.endedBy,
  };
}
