/** The signing secrets of webhooks. They are shown once and stored sealed. */
import { randomBytes } from 'node:crypto';
import type { Sealer } from '../db/seal.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** For how long the old secret still signs beside the new one after a rotation. */
export const ROTATION_MS = 24 * 60 * 60 * 1_000;

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

/** The same for both columns: a rotation moves the sealed value from one to the other as it is. */
function contextOf(webhookId: string): string {
  return `webhooks/${webhookId}`;
}
