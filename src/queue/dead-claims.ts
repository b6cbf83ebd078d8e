/**
 * Releases the rows that a worker claimed but did not begin, as soon as its process is known to be dead. Rows in flight or in doubt are not
 * released until the lease ends, because only the remote server knows whether it accepted the message.
 *
 * A worker that was only suspended may resume at any moment. It cannot send a released row, because an attempt begins only on a row that
 * still has the lease id. It cannot claim the row again either, because no row is claimed under a closed lease. Its next heartbeat reports
 * that the lease is closed, and the worker begins another lease.
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import { uuidArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import { TIMINGS as DATABASE_TIMINGS } from '../db/timings.ts';

/**
 * Condition on a row `l` of `leases`: its process is dead and its claims are not released.
 * @param living ids of the processes that the caller knows to be alive
 */
function isOfDeadProcess(living: readonly string[]): RawBuilder<unknown> {
  // The caller may not know of a process that has just started, so a recent heartbeat in `processes` also proves that a process is alive.
  return sql`
    l.holds = 'recipients' and not l.is_closed and l.process_id is not null
      and l.process_id <> all(${uuidArray(living)}::uuid[])
      and not exists (
        select from processes p where p.id = l.process_id
          and p.heartbeat_at >= now() - ${DATABASE_TIMINGS.expiryMs} * interval '1 millisecond'
      )`;
}

/** Condition: dead processes have claims. @param living as in `releaseDeadClaims` */
export function hasDeadClaims(living: readonly string[]): RawBuilder<unknown> {
  return sql`exists (select from leases l where ${isOfDeadProcess(living)})`;
}

/**
 * Closes the leases of dead processes and releases the rows claimed under these leases.
 * @param living ids of the processes that the caller knows to be alive
 * @returns the number of released rows
 */
export async function releaseDeadClaims(database: Database, living: readonly string[]): Promise<number> {
  const { rows } = await columnsOf({ leaseId: 'uuid' }).sql`
    select lease_id from leases l where ${isOfDeadProcess(living)}`.execute(database);
  let released = 0;
  for (const { leaseId } of rows) released += await closeLease(database, leaseId);
  return released;
}

/**
 * Closes one lease and releases its claims in one transaction. Statements that claim rows or begin attempts lock the lease row too, so each
 * of these statements runs completely before or after this transaction.
 */
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
