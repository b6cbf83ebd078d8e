/** Ending the lives of workers that died, and taking back what they held. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LEASE_MS } from './life.ts';
import type { RowKey } from './settle.ts';

/** A row that was in hand at this many crashes is given up. */
export const MAX_CRASHES = 5;

/** Takes part in the transaction that ends a life: rows given up have no work left, and their owner says so. */
export type OnGivenUp = (
  tx: DatabaseTransaction,
  rows: readonly (RowKey & { address: string })[],
) => Promise<void>;

/** Epochs whose heartbeat is older than the lease. */
export async function findExpiredLives(database: Database): Promise<string[]> {
  const { rows } = await sql<{ epoch: string }>`
    select epoch from workers where heartbeat_at < now() - ${LEASE_MS} * interval '1 millisecond'`.execute(
    database,
  );
  return rows.map((row) => row.epoch);
}

/**
 * Ends lives of which the caller is certain (their process is dead) or that are expired: in one transaction the
 * row of each life goes, and what it held is due again. Only what was in hand counts a crash; the rest was merely
 * claimed and never suffers.
 * @param certain false: only where the heartbeat is still older than the lease
 */
export async function endLife(
  database: Database,
  epoch: string,
  certain: boolean,
  onGivenUp: OnGivenUp,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const { numAffectedRows } = await sql`
      delete from workers where epoch = ${epoch}
      and (${certain} or heartbeat_at < now() - ${LEASE_MS} * interval '1 millisecond')`.execute(tx);
    if (numAffectedRows === 0n) return;
    const { rows } = await sql<RowKey & { address: string; crashes: number }>`
      update recipients
      set epoch = null, in_hand = false, crashes = crashes + in_hand::int,
          next_attempt_at = case when in_hand and crashes + 1 >= ${MAX_CRASHES} then null else next_attempt_at end
      where next_attempt_at <= now() and next_attempt_at is not null and epoch = ${epoch}
      returning project_id, email_id, n, address, crashes`.execute(tx);
    const givenUp = rows.filter((row) => row.crashes >= MAX_CRASHES);
    if (givenUp.length > 0) await onGivenUp(tx, givenUp);
  });
}
