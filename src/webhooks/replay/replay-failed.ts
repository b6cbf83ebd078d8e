/**
 * Replays all deliveries that have failed since the given time. The request only records which deliveries to replay. Workers make the
 * deliveries due, a few at a time (`feed-replay.ts`).
 */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { recordChange } from '../../accounts/audit.ts';
import type { DeliveryCount, WebhookReplay } from '../../contract/dashboard/webhooks.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import * as clock from '../../model/clock.ts';
import { AppError } from '../../model/app-error.ts';
import { TEST_EVENT } from '../../model/event-keys.ts';
import { encodeId, firstUuidAt, newUuid, NIL_UUID, timeOf } from '../../model/ids.ts';
import type { WebhookKey } from '../deliver/claim-deliveries.ts';

/** Counting stops at this number, because the exact number would be of no use to the user. */
export const MAX_COUNTED = 10_000;

/**
 * Begins a replay of the deliveries that have failed so far. If a replay is in progress, that replay is returned, so repeating the
 * request sends nothing twice.
 * @param since the earliest event; null to replay all stored deliveries
 * @returns null if the project has no such webhook
 * @throws AppError bad-request for a disabled webhook
 */
export async function replayFailed(
  database: Database,
  key: WebhookKey,
  since: Date | null,
): Promise<WebhookReplay | null> {
  const { projectId, webhookId } = key;
  return database.transaction().execute(async (tx) => {
    const webhook = await lockWebhook(tx, key);
    if (webhook === null) return null;
    if (!webhook.enabled)
      throw new AppError('bad-request', 'This webhook is disabled. Enable it, then replay the deliveries.');
    const current = await findReplay(tx, key);
    if (current !== null && current.ended_at === null) return current;
    const fromId = since === null ? NIL_UUID : firstUuidAt(since);
    const untilId = newUuid();
    const total = await countUpTo(tx, key, fromId);
    const row = {
      id: newUuid(),
      fromId,
      untilId,
      afterId: fromId,
      total,
      replayed: 0,
      ...(total === 0
        ? { endedAt: clock.now(), endedBy: 'done' as const }
        : { endedAt: null, endedBy: null }),
    };
    await tx
      .insertInto('webhookReplays')
      .values({ projectId, webhookId, ...row })
      .onConflict((conflict) => conflict.columns(['projectId', 'webhookId']).doUpdateSet(row))
      .execute();
    await recordChange(tx, {
      of: { projectId },
      action: 'webhook.replay-failed',
      target: encodeId('wh', webhookId),
      targetName: webhook.url,
      after: { since: since?.toISOString() ?? null, deliveries: total },
    });
    return findReplay(tx, key);
  });
}

/**
 * Ends the replay in progress. Deliveries that were not made due stay failed.
 * @returns the ended replay, even if it had ended earlier; null if the webhook had no replay
 */
export async function stopReplay(database: Database, key: WebhookKey): Promise<WebhookReplay | null> {
  return database.transaction().execute(async (tx) => {
    await stopInProgress(tx, 'webhookReplays', key);
    return findReplay(tx, key);
  });
}

/** Ends the replay or the retry of a webhook that is in progress, if there is one, and records it in the audit log. */
export async function stopInProgress(
  tx: DatabaseTransaction,
  table: 'webhookReplays' | 'webhookRetries',
  { projectId, webhookId }: WebhookKey,
): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable(table)
    .set({ endedAt: sql`now()`, endedBy: 'stopped' })
    .where((row) => rowIs(row, { projectId, webhookId }))
    .where('endedAt', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await recordChange(tx, {
    of: { projectId },
    action: table === 'webhookReplays' ? 'webhook.stop-replay' : 'webhook.stop-retry',
    target: encodeId('wh', webhookId),
  });
}

/** The last replay of a webhook. Null if the webhook had no replay. */
export async function findReplay(
  database: Database | DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
): Promise<WebhookReplay | null> {
  const row = await database
    .selectFrom('webhookReplays')
    .selectAll()
    .where((row) => rowIs(row, { projectId, webhookId }))
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    since: row.fromId === NIL_UUID ? null : timeOf(row.fromId).toISOString(),
    started_at: timeOf(row.id).toISOString(),
    total: row.total,
    has_more: row.total === MAX_COUNTED,
    replayed: row.replayed,
    ended_at: row.endedAt?.toISOString() ?? null,
    ended_by: row.endedBy,
  };
}

/** The number of deliveries that a replay would send again. @param since as in `replayFailed` */
export async function countFailed(
  database: Database,
  key: WebhookKey,
  since: Date | null,
): Promise<DeliveryCount> {
  const count = await countUpTo(database, key, since === null ? NIL_UUID : firstUuidAt(since));
  return { count, has_more: count === MAX_COUNTED };
}

async function countUpTo(
  database: Database | DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
  fromId: string,
): Promise<number> {
  const { rows } = await columnsOf({ count: 'int4' }).sql`
    select count(*)::int as count from (
      select from deliveries
      where project_id = ${projectId} and webhook_id = ${webhookId} and status = 'failed' and id >= ${fromId} and type <> ${TEST_EVENT}
      limit ${MAX_COUNTED}
    ) failed`.execute(database);
  return rows[0]?.count ?? 0;
}

/** Locks the webhook, so that concurrent requests for a replay, for a retry or for disabling the webhook wait. */
export async function lockWebhook(
  tx: DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
): Promise<{ url: string; enabled: boolean } | null> {
  const row = await tx
    .selectFrom('webhooks')
    .select(['url', 'enabled'])
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row ?? null;
}
