/** The signing secrets of webhooks. They are shown once and stored sealed. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { rowIs } from '../db/row-is.ts';
import type { Database } from '../db/database.ts';
import type { Sealer } from '../db/seal.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

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

/** What signs deliveries at a moment (docs/contract.md, Signatures). */
export interface SigningSecrets {
  /** Of X-Mail-Signature. */
  current: string;
  /** Of X-Mail-Signature-Next: the one that comes after, while a secret rotates. */
  next: string | null;
}

/** @throws when one was sealed with another POSTHORN_SECRET, or was changed */
export function openSecrets(sealer: Sealer, row: SealedSecrets, now: Date): SigningSecrets {
  const context = contextOf(row.id);
  const newest = sealer.open(row.secretSealed, context).toString();
  const { previousSecretSealed, previousSecretUntil } = row;
  if (previousSecretSealed === null || previousSecretUntil === null || previousSecretUntil <= now)
    return { current: newest, next: null };
  return { current: sealer.open(previousSecretSealed, context).toString(), next: newest };
}

/**
 * Gives a webhook a new secret. Until the hours are over the one that signs now goes on signing, so that receivers have the
 * time to learn the new one. A secret that was to come from an earlier rotation never comes.
 * @param hours 0: the new secret signs at once, alone
 * @returns the secret, this once; null when the project has no such webhook
 */
export async function rotateSecret(
  database: Database,
  sealer: Sealer,
  projectId: string,
  webhookId: string,
  hours: number,
): Promise<{ secret: string; previousUntil: Date | null } | null> {
  const secret = newSecret();
  const previous =
    hours === 0
      ? { previousSecretSealed: null, previousSecretUntil: null }
      : {
          previousSecretSealed: sql<string>`
            case when previous_secret_until > now() then previous_secret_sealed else secret_sealed end`,
          previousSecretUntil: sql<Date>`now() + ${hours}::int * interval '1 hour'`,
        };
  const row = await database
    .updateTable('webhooks')
    .set({
      secretSealed: sealSecret(sealer, webhookId, secret),
      ...previous,
      updatedAt: sql`now()`,
    })
    .where((row) => rowIs(row, { projectId, id: webhookId }))
    .returning('previousSecretUntil')
    .executeTakeFirst();
  return row === undefined ? null : { secret, previousUntil: row.previousSecretUntil };
}

/** The same for both columns: a rotation moves the sealed value from one to the other as it is. */
function contextOf(webhookId: string): string {
  return `webhooks/${webhookId}`;
}
