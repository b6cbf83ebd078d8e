/** Ends the leases of dead workers and releases their rows. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { HAS_KEY, keysOf, recordingAbandoned, ROW_KEY, type RowKey } from './fragments.ts';
import { TIMINGS } from './timings.ts';

/** A row that was in flight during this many crashes is abandoned. */
export const MAX_CRASHES = 5;

/** Records the failure of abandoned rows for their emails or mailboxes. Runs in the transaction that ends the lease. */
export type OnAbandoned = (
  tx: DatabaseTransaction,
  rows: readonly (RowKey & { address: string })[],
) => Promise<void>;

/** Condition on a row of `leases`: its last heartbeat is older than `leaseMs`. A function, because tests change `leaseMs`. */
const isExpired = (): RawBuilder<unknown> =>
  sql`heartbeat_at < now() - ${TIMINGS.leaseMs} * interval '1 millisecond'`;

/** Condition: a lease has expired. */
export const hasExpiredLeases = (): RawBuilder<unknown> =>
  sql`exists (select from leases where ${isExpired()})`;

/** Ids of leases whose last heartbeat is older than `leaseMs`. */
export async function findExpiredLeases(database: Database): Promise<string[]> {
  const { rows } = await columnsOf({ leaseId: 'uuid' }).sql`
    select lease_id from leases where ${isExpired()}`.execute(database);
  return rows.map((row) => row.leaseId);
}

/**
 * The reason why a lease ends. `dead`: its process is known to be dead. `expired`: its last heartbeat is too old, which `endLease` checks
 * again. `retired`: its own worker ends it and has no rows in flight, so no crash is counted.
 */
export type EndOfLease = 'dead' | 'expired' | 'retired';

/**
 * Ends a lease: one transaction deletes the lease row and makes the claimed recipients due again. A crash is counted only for rows that
 * were in flight when the worker died.
 */
export async function endLease(
  database: Database,
  leaseId: string,
  end: EndOfLease,
  onAbandoned: OnAbandoned,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const ended = await columnsOf({ holds: 'text' }).sql`
      delete from leases where lease_id = ${leaseId}
      and (${end !== 'expired'} or ${isExpired()})
      returning holds`.execute(tx);
    // Webhook deliveries become due again when their claims expire.
    if (ended.rows[0]?.holds === 'recipients') await releaseRows(tx, leaseId, end !== 'retired', onAbandoned);
  });
}

/**
 * Makes the rows of an ended lease due again. Abandons rows with `MAX_CRASHES` crashes.
 * @param hasCrashed whether a crash is counted for rows in flight
 */
async function releaseRows(
  tx: DatabaseTransaction,
  leaseId: string,
  hasCrashed: boolean,
  onAbandoned: OnAbandoned,
): Promise<void> {
  const crashed = hasCrashed ? sql`in_flight` : sql`false`;
  const { rows } = await columnsOf({ ...ROW_KEY.kinds, address: 'text', crashes: 'int2' }).sql`
    update queue
    set lease_id = null, in_flight = false, crashes = crashes + (${crashed})::int
    -- protection: taken back
    where lease_id = ${leaseId}
    returning project_id, email_id, recipient_index, address, crashes`.execute(tx);
  const abandoned = rows.filter(({ crashes }) => hasCrashed && crashes >= MAX_CRASHES);
  if (abandoned.length === 0) return;
  await sql`
    with gone as (
      delete from queue r using ${keysOf(abandoned)} where ${HAS_KEY}
      returning r.project_id, r.email_id, r.recipient_index, r.crashes
    ), ${recordingAbandoned(sql`select * from gone`)}
    select`.execute(tx);
  await onAbandoned(tx, abandoned);
}

/** Ends every lease. The caller must know that no process of any worker is still running. */
export async function endAllLeases(database: Database, onAbandoned: OnAbandoned): Promise<void> {
  const leases = await database.selectFrom('leases').select('leaseId').execute();
  for (const { leaseId } of leases) await endLease(database, leaseId, 'dead', onAbandoned);
}
