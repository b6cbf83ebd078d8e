/**
 * Rotates the secret of a webhook (docs/webhooks.md, Rotating the secret). While the old secret is valid, only the old secret signs
 * X-Mail-Signature, so that header has exactly one signature at any moment.
 */
import { sql } from 'kysely';
import { recordChange } from '../accounts/audit.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowIs } from '../db/row-is.ts';
import type { Sealer } from '../db/seal.ts';
import { AppError } from '../model/app-error.ts';
import { encodeId } from '../model/ids.ts';
import type { WebhookKey } from './deliver/claim-deliveries.ts';
import { newSecret, sealSecret } from './secret.ts';

/**
 * Begins a rotation. The current secret continues to sign for `hours`, so that the owner has time to configure receivers with the new
 * secret. A next secret from an earlier rotation is dropped.
 * @param hours if 0, only the new secret signs from now on
 * @returns the new secret, which is never shown again; null if the project has no such webhook
 */
export async function rotateSecret(
  database: Database,
  sealer: Sealer,
  projectId: string,
  webhookId: string,
  hours: number,
): Promise<{ secret: string; previousUntil: Date | null } | null> {
  const secret = newSecret();
  return database.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('webhooks')
      .set({
        secretSealed: sealSecret(sealer, webhookId, secret),
        ...previousSecret(hours),
        updatedAt: sql`now()`,
      })
      .where((row) => rowIs(row, { projectId, id: webhookId }))
      .returning(['previousSecretUntil', 'url'])
      .executeTakeFirst();
    if (row === undefined) return null;
    await record(tx, 'webhook.rotate-secret', { projectId, webhookId }, row);
    return { secret, previousUntil: row.previousSecretUntil };
  });
}

/** The columns of the secret that continues to sign for `hours`, of a webhook or a route whose secret is replaced. */
export function previousSecret(hours: number) {
  if (hours === 0) return { previousSecretSealed: null, previousSecretUntil: null };
  return {
    previousSecretSealed: sql<string>`
      case when previous_secret_until > now() then previous_secret_sealed else secret_sealed end`,
    previousSecretUntil: sql<Date>`now() + ${hours}::int * interval '1 hour'`,
  };
}

/**
 * Finishes a rotation, so that only the new secret signs from now on. Without a rotation nothing changes.
 * @returns false if the project has no such webhook
 */
export function finishRotation(database: Database, key: WebhookKey): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { isThere, row } = await end(tx, key, {});
    if (row !== undefined) await record(tx, 'webhook.finish-rotation', key, row);
    return isThere;
  });
}

/**
 * Cancels a rotation, so that only the old secret signs from now on, and the new secret never signs again.
 * @returns false if the project has no such webhook
 * @throws AppError bad-request if no rotation is in progress, because the new secret may then already be the only secret
 */
export function cancelRotation(database: Database, key: WebhookKey): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const { isThere, row } = await end(tx, key, { secretSealed: sql<string>`previous_secret_sealed` });
    if (row === undefined && isThere)
      throw new AppError('bad-request', 'The secret of this webhook is not being rotated.');
    if (row !== undefined) await record(tx, 'webhook.cancel-rotation', key, row);
    return isThere;
  });
}

/** Ends a rotation. @returns whether the webhook exists, and its row if the row was changed */
async function end(
  tx: DatabaseTransaction,
  { projectId, webhookId }: WebhookKey,
  changes: { secretSealed?: ReturnType<typeof sql<string>> },
) {
  const found = await tx
    .selectFrom('webhooks')
    .select('id')
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .forNoKeyUpdate()
    .executeTakeFirst();
  const row = await tx
    .updateTable('webhooks')
    .set({ ...changes, previousSecretSealed: null, previousSecretUntil: null, updatedAt: sql`now()` })
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .where('previousSecretUntil', '>', sql<Date>`now()`)
    .returning(['previousSecretUntil', 'url'])
    .executeTakeFirst();
  return { isThere: found !== undefined, row };
}

function record(
  tx: DatabaseTransaction,
  action: `webhook.${string}`,
  { projectId, webhookId }: WebhookKey,
  { url, previousSecretUntil }: { url: string; previousSecretUntil: Date | null },
): Promise<void> {
  return recordChange(tx, {
    of: { projectId },
    action,
    target: encodeId('wh', webhookId),
    targetName: url,
    after: { previous_secret_until: previousSecretUntil?.toISOString() ?? null },
  });
}
