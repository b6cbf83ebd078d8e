/** The signing secrets of webhooks. They are shown once and stored sealed. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** For how long the old secret still signs beside the new one after a rotation. */
const ROTATION_MS = 24 * 60 * 60 * 1_000;

/** `whsec_` and 256 random bits in base64url. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

export function sealSecret(sealer: Sealer, webhookId: string, secret: string): string {
  return sealer.seal(Buffer.from(secret), contextOf(webhookId));
}

/** The columns of a webhook that hold its secrets. */
export interface SealedSecrets {
  id: string;
  secretSealed: string;
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
}

/**
 * The secrets that sign at a moment, the current one first.
 * @throws when one was sealed with another POSTHORN_SECRET, or was changed
 */
export function openSecrets(sealer: Sealer, row: SealedSecrets, now: Date): string[] {
  const context = contextOf(row.id);
  const secrets = [sealer.open(row.secretSealed, context).toString()];
  const { previousSecretSealed, previousSecretUntil } = row;
  if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > now) {
    secrets.push(sealer.open(previousSecretSealed, context).toString());
  }
  return secrets;
}

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
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .executeTakeFirst();
  return numUpdatedRows === 0n ? null : { secret, previousUntil };
}

/** The same for both columns: a rotation moves the sealed value from one to the other as it is. */
function contextOf(webhookId: string): string {
  return `webhooks/${webhookId}`;
}
