/** Second factors. Sign-in requires a second factor if the user has set one up, except after a passkey, which is both factors in one. */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { Realm } from './holder.ts';
import { forgetRecoveryCodes, makeRecoveryCodes } from './recovery-codes.ts';
import { deleteTotp } from './totp.ts';

const OWN_TABLES = columnsOf({ hasTotp: 'bool', passkeys: 'int4', recoveryCodes: 'int4' });

export interface Factors extends RowOf<typeof OWN_TABLES> {
  hasPassword: boolean;
  identities: number;
}

/**
 * Throws an error if the session that adds the factor has ended in the meantime (`assertSession`). Called while the user's row is locked.
 */
export type AssertSignedIn = (tx: DatabaseTransaction) => Promise<void>;

/** The ways to prove a second factor. */
export type FactorMethod = 'code' | 'passkey' | 'recovery-code';

/** @throws AppError not-found if the user, or the mailbox, was deleted a moment ago */
export async function readFactors<Id>(
  database: Database | DatabaseTransaction,
  { tables, holder }: Realm<Id>,
  id: Id,
): Promise<Factors> {
  const { is, waysIn } = holder(id);
  const ways = await waysIn(database);
  if (ways === null) throw new AppError('not-found', 'The account has just been deleted.');
  const { rows } = await OWN_TABLES.sql`
    select exists (select from ${sql.table(tables.totp)} where ${is}) as has_totp,
      (select count(*)::int from ${sql.table(tables.passkeys)} where ${is}) as passkeys,
      (select count(*)::int from ${sql.table(tables.recoveryCodes)} where ${is}) as recovery_codes`.execute(
    database,
  );
  const { hasTotp = false, passkeys = 0, recoveryCodes = 0 } = rows[0] ?? {};
  const { passwordHash, identities } = ways;
  return { hasPassword: passwordHash !== null, hasTotp, passkeys, recoveryCodes, identities };
}

export function hasSecondFactor({ hasTotp, passkeys }: Factors): boolean {
  return hasTotp || passkeys > 0;
}

/** The second factors that sign-in accepts. Empty if no second factor is needed. */
export function methodsOf(factors: Factors): FactorMethod[] {
  if (!hasSecondFactor(factors)) return [];
  return [
    ...(factors.hasTotp ? (['code'] as const) : []),
    ...(factors.passkeys > 0 ? (['passkey'] as const) : []),
    ...(factors.recoveryCodes > 0 ? (['recovery-code'] as const) : []),
  ];
}

/** Locks the user's or mailbox's sign-in methods, so that only one transaction at a time changes them. @throws AppError not-found */
export async function lockFactors<Id>(tx: DatabaseTransaction, realm: Realm<Id>, id: Id): Promise<Factors> {
  await realm.holder(id).lock(tx);
  return readFactors(tx, realm, id);
}

/**
 * Creates recovery codes if the factor that was just added is the first second factor. Must be called in the transaction of `lockFactors`.
 * @param before the result of `lockFactors`, from before the factor was added
 * @returns null if the new factor is not the first
 */
export async function codesWithFirst<Id>(
  tx: DatabaseTransaction,
  realm: Realm<Id>,
  id: Id,
  before: Factors,
): Promise<string[] | null> {
  if (hasSecondFactor(before)) return null;
  await realm.holder(id).settle(tx, true);
  return makeRecoveryCodes(tx, realm, id);
}

/**
 * Must be called after a factor has been removed. If no second factor is left, also deletes the recovery codes, which only replace a second
 * factor.
 * @throws AppError validation-failed if no sign-in method is left
 */
export async function settleRemoval<Id>(tx: DatabaseTransaction, realm: Realm<Id>, id: Id): Promise<void> {
  const left = await readFactors(tx, realm, id);
  if (!left.hasPassword && left.passkeys === 0 && left.identities === 0)
    throw validationError({ id: 'is your last sign-in method: set a password or add another passkey first' });
  if (hasSecondFactor(left)) return;
  await realm.holder(id).assertMayLoseLast(tx, left);
  await forgetRecoveryCodes(tx, realm, id);
  await realm.holder(id).settle(tx, false);
}

/**
 * Deletes all second factors of a user who has lost them, so that the password alone is enough again. Passkeys are deleted too, because
 * another person may have found a lost passkey.
 * @returns the factors before the deletion
 */
export async function deleteFactors<Id>(tx: DatabaseTransaction, realm: Realm<Id>, id: Id): Promise<Factors> {
  const before = await lockFactors(tx, realm, id);
  await deleteTotp(tx, realm, id);
  await sql`delete from ${sql.table(realm.tables.passkeys)} where ${realm.holder(id).is}`.execute(tx);
  await forgetRecoveryCodes(tx, realm, id);
  if (hasSecondFactor(before)) await realm.holder(id).settle(tx, false);
  return before;
}
