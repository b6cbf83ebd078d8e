/** The signing secrets of webhooks. They are shown once and stored sealed. */
import { randomBytes } from 'node:crypto';
import type { Sealer } from '../db/seal.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks allows 24 to 64 bytes. 48 bytes need no padding in base64. */
const SECRET_BYTES = 48;
const STANDARD_SECRET = /^whsec_([A-Za-z0-9+/]{64})$/;

/** Creates a secret in the form that Standard Webhooks prescribes: `whsec_` and random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The key that Standard Webhooks libraries derive from a secret. Null for secrets of earlier versions, which are shorter and in base64url,
 * so that libraries decode them differently or not at all.
 */
export function standardKey(secret: string): Buffer | null {
  const [, encoded] = STANDARD_SECRET.exec(secret) ?? [];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64');
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
  /** Signs X-Mail-Signature and Webhook-Signature. */
  current: string;
  /** Signs X-Mail-Signature-Next and Webhook-Signature: the next secret, during a rotation. */
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
