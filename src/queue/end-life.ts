/** Ending the lives of workers that died, and taking back what they held. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LEASE_MS } from './life.ts';
import type { RowKey } from './fragments.ts';

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
 * Why a life ends: its process is known to be `dead`, its heartbeat is older than the lease (`expired`, looked at
 * again), or it is `retired` by its own worker, which has nothing in hand any more that counts a crash.
 */
export type EndOfLife = 'dead' | 'expired' | 'retired';

/**
 * Ends a life: in one transaction its row goes, and what it held is due again. Only what was in hand at a death counts
 * a crash; the rest was merely claimed and never suffers.
 */
export async function endLife(
  database: Database,
  epoch: string,
  end: EndOfLife,
  onGivenUp: OnGivenUp,
): Promise<void> {
  const crashed = end === 'retired' ? sql`false` : sql`in_hand`;
  await database.transaction().execute(async (tx) => {
    const { numAffectedRows } = await sql`
      delete from workers where epoch = ${epoch}
      and (${end !== 'expired'} or heartbeat_at < now() - ${LEASE_MS} * interval '1 millisecond')`.execute(
      tx,
    );
    if (numAffectedRows === 0n) return;
    const { rows } = await sql<RowKey & { address: string; crashes: number }>`
      update recipients
      set epoch = null, in_hand = false, crashes = crashes + (${crashed})::int,
          next_attempt_at = case when ${crashed} and crashes + 1 >= ${MAX_CRASHES} then null else next_attempt_at end
      where next_attempt_at is not null and epoch = ${epoch}
      returning project_id, email_id, n, address, crashes`.execute(tx);
    const givenUp = rows.filter((row) => end !== 'retired' && row.crashes >= MAX_CRASHES);
    if (givenUp.length > 0) await onGivenUp(tx, givenUp);
  });
}

/** Ends every life, where the caller is certain that none of their processes can still be at work. */
export async function endAllLives(database: Database, onGivenUp: OnGivenUp): Promise<void> {
  const lives = await database.selectFrom('workers').select('epoch').execute();
  for (const { epoch } of lives) await endLife(database, epoch, 'dead', onGivenUp);
}
