/** What becomes of rows that a life holds: taken in hand, done with, put off, given back. All fenced by the epoch. */
import { sql } from 'kysely';
import { boolArray, int2Array, textArray, uuidArray } from '../db/arrays.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LeaseLost } from './life.ts';

export interface RowKey {
  projectId: string;
  emailId: string;
  n: number;
}

/** How a row leaves the hand. */
export type Settlement =
  /** Nothing is left to do. */
  | { kind: 'done' }
  /** An attempt came to an end without a result; the next one comes after the delay. */
  | { kind: 'later'; delayMs: number }
  /** The attempt failed in our own code: counted as a crash, tried again after the delay. */
  | { kind: 'crashed'; delayMs: number };

export interface SettledRow extends RowKey {
  settlement: Settlement;
}

function keyArrays(rows: readonly RowKey[]) {
  return sql`${uuidArray(rows.map((row) => row.projectId))}::uuid[], ${uuidArray(rows.map((row) => row.emailId))}::uuid[],
    ${int2Array(rows.map((row) => row.n))}::smallint[]`;
}

/**
 * Recorded before the work on the rows begins: if the process dies now, these and no others were in hand.
 * @throws LeaseLost when one of them is not held any more
 */
export async function takeInHand(
  tx: DatabaseTransaction,
  epoch: string,
  rows: readonly RowKey[],
): Promise<void> {
  const { numAffectedRows } = await sql`
    update recipients r set in_hand = true
    from unnest(${keyArrays(rows)}) as k (project_id, email_id, n)
    where r.project_id = k.project_id and r.email_id = k.email_id and r.n = k.n and r.epoch = ${epoch}`.execute(
    tx,
  );
  if (numAffectedRows !== BigInt(rows.length)) throw new LeaseLost('rows are not held any more');
}

/** @throws LeaseLost when one of them is not held any more */
export async function settle(
  tx: DatabaseTransaction,
  epoch: string,
  rows: readonly SettledRow[],
): Promise<void> {
  const { numAffectedRows } = await sql`
    update recipients r
    set epoch = null, in_hand = false, attempts = r.attempts + 1,
        crashes = case when k.crashed then r.crashes + 1 else 0 end,
        next_attempt_at = now() + k.delay_ms * interval '1 millisecond'
    from unnest(
      ${keyArrays(rows)}, ${textArray(rows.map(({ settlement }) => (settlement.kind === 'done' ? null : String(settlement.delayMs))))}::text[]::int[],
      ${boolArray(rows.map(({ settlement }) => settlement.kind === 'crashed'))}::bool[]
    ) as k (project_id, email_id, n, delay_ms, crashed)
    where r.project_id = k.project_id and r.email_id = k.email_id and r.n = k.n and r.epoch = ${epoch}`.execute(
    tx,
  );
  if (numAffectedRows !== BigInt(rows.length)) throw new LeaseLost('rows are not held any more');
}

/** Gives rows back as if they had never been claimed. Rows that are not held any more are left alone. */
export async function release(database: Database, epoch: string, rows: readonly RowKey[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update recipients r set epoch = null, in_hand = false
    from unnest(${keyArrays(rows)}) as k (project_id, email_id, n)
    where r.project_id = k.project_id and r.email_id = k.email_id and r.n = k.n and r.epoch = ${epoch}`.execute(
    database,
  );
}

/**
 * For rows whose hand-over is for the far side to say when the worker leaves: they stay held until the lease ends,
 * and do not count as a crash.
 */
export async function leaveToLease(
  database: Database,
  epoch: string,
  rows: readonly RowKey[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update recipients r set in_hand = false
    from unnest(${keyArrays(rows)}) as k (project_id, email_id, n)
    where r.project_id = k.project_id and r.email_id = k.email_id and r.n = k.n and r.epoch = ${epoch}`.execute(
    database,
  );
}
