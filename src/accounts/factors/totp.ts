/** Codes of an authenticator app (RFC 6238): six digits that change every 30 seconds. */
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import * as clock from '../../model/clock.ts';

/** What apps call the account. */
const ISSUER = 'Posthorn';
const PERIOD_SECONDS = 30;
/** 160 bits (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;
/** Steps before and after: clocks of phones are not exact (RFC 6238, section 5.2). */
const DRIFT = 1;

type TotpSealer = Pick<Sealer, 'seal' | 'open'>;

interface NewTotp {
  /** Base32, as apps take it. */
  secret: string;
  /** For a QR code: `otpauth://totp/…` */
  uri: string;
}

export async function newTotp(email: string): Promise<NewTotp> {
  const { Secret } = await import('otpauth');
  const totp = await totpOf(new Secret({ size: SECRET_BYTES }).base32, email);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The time step whose code it is, of those that are near; null: a wrong code. */
export async function stepOf(secret: string, code: string): Promise<number | null> {
  const timestamp = clock.nowMs();
  const delta = (await totpOf(secret)).validate({ token: code, timestamp, window: DRIFT });
  return delta === null ? null : Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
}

async function totpOf(secret: string, label = '') {
  const { TOTP } = await import('otpauth');
  return new TOTP({ issuer: ISSUER, label, secret, period: PERIOD_SECONDS });
}

/** @param step of the code that proved the app: it does not work again @returns false: the user has one */
export async function insertTotp(
  tx: DatabaseTransaction,
  sealer: TotpSealer,
  { userId, secret, step }: { userId: string; secret: string; step: number },
): Promise<boolean> {
  const inserted = await tx
    .insertInto('userTotp')
    .values({
      userId,
      secret: sealer.seal(Buffer.from(secret), contextOf(userId)),
      lastStep: step,
      createdAt: clock.now(),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('userId')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** Whether a code is the user's, and was not used before: of two who come with one code, one is told true. */
export async function useTotp(
  database: Database,
  sealer: TotpSealer,
  userId: string,
  code: string,
): Promise<boolean> {
  const row = await database
    .selectFrom('userTotp')
    .select('secret')
    .where('userId', '=', userId)
    .executeTakeFirst();
  if (row === undefined) return false;
  const step = await stepOf(sealer.open(row.secret, contextOf(userId)).toString(), code);
  if (step === null) return false;
  const taken = await database
    .updateTable('userTotp')
    .set({ lastStep: step })
    .where('userId', '=', userId)
    .where('secret', '=', row.secret)
    // Attack: somebody has seen the code over a shoulder. It is worth nothing any more.
    .where('lastStep', '<', String(step))
    .returning('userId')
    .executeTakeFirst();
  return taken !== undefined;
}

/** A sealed secret opens for its user alone. */
function contextOf(userId: string): string {
  return `user_totp ${userId}`;
}
