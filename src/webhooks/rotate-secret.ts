import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';
import { newSecret, ROTATION_MS, sealSecret } from './secret.ts';

/**
 * Gives a webhook a new secret. The old one signs beside it for 24 hours; one that was kept from an earlier rotation
 * ends now.
 * @returns the secret, this once; null when the project has no such webhook
 */
export async function rotateSecret(
  database: Database,
  sealer: Sealer,
  projectId: string,
  webhookId: string,
): Promise<{ secret: string; previousUntil: Date } | null> {
  const secret = newSecret();
  const now = new Date();
  const previousUntil = new Date(now.getTime() + ROTATION_MS);
  const { numUpdatedRows } = await database
    .updateTable('webhooks')
    .set({
      secretSealed: sealSecret(sealer, webhookId, secret),
      previousSecretSealed: sql.ref('secret_sealed'),
      previousSecretUntil: previousUntil,
      updatedAt: now,
    })
    .where('projectId', '=', projectId)
    .where('id', '=', webhookId)
    .executeTakeFirst();
  return numUpdatedRows === 0n ? null : { secret, previousUntil };
}
