/** The signing secrets of webhooks. They are shown once and stored sealed. */
import { randomBytes } from 'node:crypto';
import type { Sealer } from '../db/seal.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and 256 random bits in base64url. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
}

export function sealSecret(sealer: Sealer, webhookId: string, secret: string): string {
  return sealer.seal(Buffer.from(secret), contextOf(webhookId));
}

/** The columns of a webhook with its secrets. */
export interface SealedSecrets {
  id: string;
  secretSealed: string;
  previousSecretSealed: string | null;
  previousSecretUntil: Date | null;
}

/** The secrets that sign deliveries at a moment (docs/contract.md, Signatures). */
export interface SigningSecrets {
  /** Signs X-Mail-Signature. */
  current: string;
  /** Signs X-Mail-Signature-Next: the next secret, during a rotation. */
  next: string | null;
}

/** @throws if a secret was sealed with another POSTHORN_SECRET or was changed */
export function openSecrets(sealer: Sealer, row: SealedSecrets, now: Date): SigningSecrets {
  const context = contextOf(row.id);
  const newest = sealer.open(row.secretSealed, context).toString();
  const { previousSecretSealed, previousSecretUntil } = row;
  if (previousSecretSealed === null || previousSecretUntil === null || previousSecretUntil <= now)
    return { current: newest, next: null };
  return { current: sealer.open(previousSecretSealed, context).toString(), next: newest };
}

/** The sealing context, the same for both columns, because a rotation moves the sealed value unchanged from one column to the other. */
function contextOf(webhookId: string): string {
  return `webhooks/${webhookId}`;
}
