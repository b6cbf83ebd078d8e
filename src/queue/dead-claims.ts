/**
 * Releases what a dead worker had claimed and not begun, as soon as its process is known to be dead. Rows in flight or in doubt wait until the
 * lease ends: only the far side knows whether it took the message.
 *
 * A worker that was only stopped may come back at any moment. It cannot send a released row: an attempt begins only on a row that still
 * carries the id of the lease. It cannot claim the row again beside its old copy either, because nothing is claimed under a closed lease. The worker finds
 * out with its next heartbeat, and begins another lease.
 */
import { sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import { uuidArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import { TIMINGS as DATABASE_TIMINGS } from '../db/timings.ts';

/**
 * @param living ids of the processes that live, as far as the caller knows
 * @returns how many rows were released
 */
export async function releaseDeadClaims(database: Database, living: readonly string[]): Promise<number> {
  // The caller may not have seen a process that has just begun, and others may see a process that it does not.
  const { rows } = await columnsOf({ leaseId: 'uuid' }).sql`
    select lease_id from leases l
    where holds = 'recipients' and not is_closed and process_id is not null
      and process_id <> all(${uuidArray(living)}::uuid[])
      and not exists (
        select from processes p where p.id = l.process_id
          and p.heartbeat_at >= now() - ${DATABASE_TIMINGS.goneMs} * interval '1 millisecond'
      )`.execute(database);
  let released = 0;
  for (const { leaseId } of rows) released += await closeLease(database, leaseId);
  return released;
}

/** In one transaction, and under the lock that each claim and each beginning of an attempt shares: none of them is half done. */
function closeLease(database: Database, leaseId: string): Promise<number> {
  return database.transaction().execute(async (tx) => {
    const locked = await sql`
      select from leases where lease_id = ${leaseId} and not is_closed for update`.execute(tx);
    if (locked.rows.length === 0) return 0;
    await sql`update leases set is_closed = true where lease_id = ${leaseId}`.execute(tx);
    const { numAffectedRows = 0n } = await sql`
      update queue set lease_id = null
      where lease_id = ${leaseId}
      and not in_flight and not in_doubt`.execute(tx);
    return Number(numAffectedRows);
  });
}
