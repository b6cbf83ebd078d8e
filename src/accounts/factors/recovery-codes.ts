/** Recovery codes: for whoever has lost what they sign in with. Each works once. */
import { hash, randomBytes } from 'node:crypto';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import { RECOVERY_CODES } from '../limits.ts';
import { recordUserChange } from '../user-changes.ts';

/** Without those that are taken for others. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = /.{4}(?!$)/g;

/** 80 random bits each; whatever stood there before is worth nothing. @returns them as people write them down; only hashes are kept */
export async function makeRecoveryCodes(tx: DatabaseTransaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await forgetRecoveryCodes(tx, userId);
  await tx
    .insertInto('userRecoveryCodes')
    .values(codes.map((code) => ({ userId, codeSha256: digestOf(code) })))
    .execute();
  return codes.map((code) => code.replaceAll(GROUP, '$&-'));
}

export async function forgetRecoveryCodes(tx: DatabaseTransaction, userId: string): Promise<void> {
  await tx.deleteFrom('userRecoveryCodes').where('userId', '=', userId).execute();
}

/** @returns whether it was one: of two who use one at once, one is told true */
export async function useRecoveryCode(database: Database, userId: string, typed: string): Promise<boolean> {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  if (code.length !== LENGTH) return false;
  return database.transaction().execute(async (tx) => {
    const used = await tx
      .deleteFrom('userRecoveryCodes')
      .where((row) => rowIs(row, { userId, codeSha256: digestOf(code) }))
      .returning('userId')
      .executeTakeFirst();
    if (used === undefined) return false;
    const left = await countRecoveryCodes(tx, userId);
    await recordUserChange(tx, userId, { action: 'user.use-recovery-code', after: { recovery_codes: left } });
    return true;
  });
}

async function countRecoveryCodes(database: Database | DatabaseTransaction, userId: string): Promise<number> {
  const { count } = await database
    .selectFrom('userRecoveryCodes')
    .select((row) => row.fn.countAll<string>().as('count'))
    .where('userId', '=', userId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function newCode(): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('');
}

function digestOf(code: string): Buffer {
  return hash('sha256', code, 'buffer');
}
