/** What a user has set up beside the password. Whoever has a second factor is asked for it, but after a passkey, which is two in one. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import { recordUserChange } from '../user-changes.ts';
import { forgetRecoveryCodes, makeRecoveryCodes } from './recovery-codes.ts';

export interface Factors {
  hasPassword: boolean;
  hasTotp: boolean;
  passkeys: number;
  recoveryCodes: number;
  identities: number;
}

/** By what somebody proves who they are, beside the password. */
export type FactorMethod = 'code' | 'passkey' | 'recovery-code';

/** @throws AppError not-found: the user was deleted a moment ago */
export async function readFactors(
  database: Database | DatabaseTransaction,
  userId: string,
): Promise<Factors> {
  const { rows } = await sql<Factors>`
    select u.password_hash is not null as has_password,
      exists (select from user_totp t where t.user_id = u.id) as has_totp,
      (select count(*)::int from user_passkeys p where p.user_id = u.id) as passkeys,
      (select count(*)::int from user_recovery_codes r where r.user_id = u.id) as recovery_codes,
      (select count(*)::int from user_identities i where i.user_id = u.id) as identities
    from users u where u.id = ${userId}`.execute(database);
  const [factors] = rows;
  if (factors === undefined) throw new AppError('not-found', 'The user has just been deleted.');
  return factors;
}

export function hasSecondFactor({ hasTotp, passkeys }: Factors): boolean {
  return hasTotp || passkeys > 0;
}

/** Empty: the first factor is enough. */
export function methodsOf(factors: Factors): FactorMethod[] {
  if (!hasSecondFactor(factors)) return [];
  return [
    ...(factors.hasTotp ? (['code'] as const) : []),
    ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
    ...(factors.recoveryCodes > 0 ? (['recovery-code'] as const) : []),
  ];
}

/** One change of a user's ways in at a time. @throws AppError not-found */
export async function lockUser(tx: DatabaseTransaction, userId: string): Promise<Factors> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
  return readFactors(tx, userId);
}

/** Before a second factor is added, within `lockUser`: the first one comes with recovery codes. @returns null: it is not the first */
export async function codesWithFirst(
  tx: DatabaseTransaction,
  userId: string,
  before: Factors,
): Promise<string[] | null> {
  return hasSecondFactor(before) ? null : makeRecoveryCodes(tx, userId);
}

/** After one was removed: recovery codes stand in for a second factor, and go with the last. @throws AppError: there is no way in left */
export async function settleRemoval(tx: DatabaseTransaction, userId: string): Promise<void> {
  const left = await readFactors(tx, userId);
  if (!left.hasPassword && left.passkeys === 0 && left.identities === 0)
    throw validationError({ id: 'is the last way in: set a password or add another passkey first' });
  if (!hasSecondFactor(left)) await forgetRecoveryCodes(tx, userId);
}

/**
 * For whoever has lost all of them: the password alone is enough again. Passkeys go too, since one that is lost may have been found.
 * @returns false: there was nothing to switch off
 */
export async function resetSecondFactor(database: Database, userId: string): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const before = await lockUser(tx, userId);
    if (!hasSecondFactor(before)) return false;
    await tx.deleteFrom('userTotp').where('userId', '=', userId).execute();
    await tx.deleteFrom('userPasskeys').where('userId', '=', userId).execute();
    await forgetRecoveryCodes(tx, userId);
    await recordUserChange(tx, userId, {
      action: 'user.reset-second-factor',
      before: { authenticator_app: before.hasTotp, passkeys: before.passkeys },
    });
    return true;
  });
}
