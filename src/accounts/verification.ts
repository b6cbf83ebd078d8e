/**
 * Accounts with an unproved address. Attack: an inviter sees the link in an invitation, uses the link to create an account for another
 * person's address, and locks that person out (docs/dashboard.md, Unverified accounts).
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { recordUserChange } from './user-changes.ts';

/** SQL condition on a row of `users`. Owners and operators count as verified, so that a mailed link never removes their second factor. */
export function isUnverified(users: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${users}.verifies_by is not null and not ${users}.is_operator
    and not exists (select from memberships o where o.user_id = ${users}.id and o.role = 'owner'))`;
}

/**
 * SQL condition on a row of `users`: the user has proved that the address is theirs. Owners and operators must have proved it too, because
 * an owner who was invited with a copied link may have the address of another person.
 */
export function hasProvedAddress(users: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(${users}.verifies_by is null)`;
}

const UNVERIFIED = columnsOf({ unverified: 'bool' });

/** Whether the account of a user is unverified; false if there is no such user. */
export async function isUserUnverified(
  database: Database | DatabaseTransaction,
  userId: string,
): Promise<boolean> {
  const { rows } = await UNVERIFIED.sql`
    select ${isUnverified(sql`u`)} as unverified from users u where u.id = ${userId}`.execute(database);
  return rows[0]?.unverified ?? false;
}

/** Marks the account as verified. The sign-in methods of the account stay. */
export async function setVerified(tx: DatabaseTransaction, userId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ verifiesBy: null })
    .where('id', '=', userId)
    .where('verifiesBy', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await recordUserChange(tx, userId, { action: 'user.verify' });
}
