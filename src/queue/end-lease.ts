/** Ending the leases of workers that died, and taking back what they held. */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HAS_KEY, keysOf, recordingAbandoned, ROW_KEY, type RowKey } from './fragments.ts';
import { TIMINGS } from './timings.ts';

/** A row that was in flight at this many crashes is given up. */
export const MAX_CRASHES = 5;

/** Takes part in the transaction that ends a lease: rows given up have no work left, and their owner says so. */
export type OnAbandoned = (
  tx: DatabaseTransaction,
  rows: readonly (RowKey & { address: string })[],
) => Promise<void>;

/** Lease ids whose heartbeat is older than the lease. */
export async function findExpiredLeases(database: Database): Promise<string[]> {
  const { rows } = await columnsOf({ leaseId: 'uuid' }).sql`
    select lease_id from leases where heartbeat_at < now() - ${TIMINGS.leaseMs} * interval '1 millisecond'`.execute(
    database,
  );
  return rows.map((row) => row.leaseId);
}

/**
 * Why a lease ends: its process is known to be `dead`, its heartbeat is older than the lease (`expired`, looked at
 * again), or it is `retired` by its own worker, which has nothing in flight any more that counts a crash.
 */
export type EndOfLease = 'dead' | 'expired' | 'retired';

/**
 * Ends a lease: in one transaction its row goes, and the recipients that it held are due again. Only what was in flight at a death counts
 * a crash; the rest was merely claimed.
 */
export async function endLease(
  database: Database,
  leaseId: string,
  end: EndOfLease,
  onGivenUp: OnAbandoned,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const ended = await columnsOf({ holds: 'text' }).sql`
      delete from leases where lease_id = ${leaseId}
      and (${end !== 'expired'} or heartbeat_at < now() - ${TIMINGS.leaseMs} * interval '1 millisecond')
      returning holds`.execute(tx);
    // Deliveries of webhooks are due again at the end of their claims.
    if (ended.rows[0]?.holds === 'recipients') await takeBack(tx, leaseId, end !== 'retired', onGivenUp);
  });
}

/**
 * What was held under a lease that is over is due again. A row that was in flight too often is gone.
 * @param hasCrashed whether that counts a crash for what was in flight
 */
async function takeBack(
  tx: DatabaseTransaction,
  leaseId: string,
  hasCrashed: boolean,
  onGivenUp: OnAbandoned,
): Promise<void> {
  const crashed = hasCrashed ? sql`in_flight` : sql`false`;
  const { rows } = await columnsOf({ ...ROW_KEY.kinds, address: 'text', crashes: 'int2' }).sql`
    update queue
    set lease_id = null, in_flight = false, crashes = crashes + (${crashed})::int
    -- protection: taken back
    where lease_id = ${leaseId}
    returning project_id, email_id, recipient_index, address, crashes`.execute(tx);
  const givenUp = rows.filter(({ crashes }) => hasCrashed && crashes >= MAX_CRASHES);
  if (givenUp.length === 0) return;
  await sql`
    with gone as (
      delete from queue r using ${keysOf(givenUp)} where ${HAS_KEY}
      returning r.project_id, r.email_id, r.recipient_index, r.crashes
    ), ${recordingAbandoned(sql`select * from gone`)}
    select`.execute(tx);
  await onGivenUp(tx, givenUp);
}

/** Ends every lease, where the caller is certain that none of their processes can still be at work. */
export async function endAllLeases(database: Database, onGivenUp: OnAbandoned): Promise<void> {
  const leases = await database.selectFrom('leases').select('leaseId').execute();
  for (const { leaseId } of leases) await endLease(database, leaseId, 'dead', onGivenUp);
}
