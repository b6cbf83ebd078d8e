/** Recovery codes, for users who have lost their second factor. Each code works once. */
import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { RECOVERY_CODES } from '../limits.ts';
import type { Realm } from './holder.ts';

/** Excludes characters that are easily confused. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 16;
const GROUP = /.{4}(?!$)/g;

const LEFT = columnsOf({ left: 'int4' });

/**
 * Creates codes of 80 random bits and invalidates all earlier codes.
 * @returns the codes in the form that users write down; only hashes are stored
 */
export async function makeRecoveryCodes<Id>(
  tx: DatabaseTransaction,
  realm: Realm<Id>,
  id: Id,
): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await forgetRecoveryCodes(tx, realm, id);
  const { values } = realm.holder(id);
  await sql`
    insert into ${sql.table(realm.tables.recoveryCodes)} (${realm.columns}, code_sha256)
    values ${sql.join(codes.map((code) => sql`(${values}, ${digestOf(code)})`))}`.execute(tx);
  return codes.map((code) => code.replaceAll(GROUP, '$&-'));
}

export async function forgetRecoveryCodes<Id>(
  tx: DatabaseTransaction,
  { tables, holder }: Realm<Id>,
  id: Id,
): Promise<void> {
  await sql`delete from ${sql.table(tables.recoveryCodes)} where ${holder(id).is}`.execute(tx);
}

/** Uses up a code. If a code is used twice concurrently, only one use succeeds. @returns whether the code was valid */
export async function useRecoveryCode<Id>(
  database: Database,
  realm: Realm<Id>,
  id: Id,
  typed: string,
): Promise<boolean> {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '');
  if (code.length !== LENGTH) return false;
  const holder = realm.holder(id);
  const table = sql.table(realm.tables.recoveryCodes);
  return database.transaction().execute(async (tx) => {
    const { numAffectedRows } = await sql`
      delete from ${table} where ${holder.is} and code_sha256 = ${digestOf(code)}`.execute(tx);
    if (numAffectedRows !== 1n) return false;
    const { rows } = await LEFT.sql`
      select count(*)::int as left from ${table} where ${holder.is}`.execute(tx);
    await holder.record(tx, 'use-recovery-code', { after: { recovery_codes: rows[0]?.left ?? 0 } });
    return true;
  });
}

function newCode(): string {
  return Array.from(randomBytes(LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('');
}

function digestOf(code: string): Buffer {
  return hash('sha256', code, 'buffer');
}
