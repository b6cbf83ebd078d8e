/** Rows that a lease holds are marked as in flight, settled, or given back. All of it is fenced by the lease id. */
import { sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { holdingDestinations, KEY_COLUMNS, KEYS, lockingLease, type RowKey } from './fragments.ts';

/** How a row is settled when its attempt has ended. */
export type Settlement =
  /** Nothing is left to do. */
  | { kind: 'done' }
  /** An attempt came to an end without a result; the next one comes after the delay. */
  | { kind: 'later'; delayMs: number }
  /** The destination cannot be used: the row waits for it. Where nothing was tried its crashes still count. */
  | { kind: 'parked'; destination: string; wasTried: boolean }
  /** The attempt failed in our own code: counted as a crash, tried again after the delay, or (null) given up. */
  | { kind: 'crashed'; delayMs: number | null };

export interface SettledRow extends RowKey {
  /** How many came to an end before this one. A settlement that is written again by mistake finds another number. */
  attempts: number;
  crashes: number;
  settlement: Settlement;
}

/**
 * Marks rows as in flight, before the work on them begins. If the process dies after that, these and no others were in
 * flight. Rows that the lease does not hold any more are left out.
 */
export function markingInFlight(leaseId: string, rows: readonly RowKey[]): Cte {
  const lease = lockingLease(leaseId);
  return cte(
    'held',
    sql`
      update email_recipients r set in_flight = true
      from ${lease.name}, ${KEYS.from(rows)}
      where r.project_id = k.project_id and r.email_id = k.email_id and r.recipient_index = k.recipient_index and r.lease_id = ${lease.name}.lease_id
      returning r.project_id, r.email_id, r.recipient_index, r.address`,
    lease.sql,
  );
}

const SETTLEMENTS = rowsOf<SettledRow>('k', {
  ...KEY_COLUMNS,
  delay_ms: ['int4', ({ settlement }) => delayOf(settlement)],
  crashes: ['int2', crashesOf],
  attempts: ['int2', (row) => row.attempts],
  destination: ['text', parkedFor],
});

/** Ends the attempts on rows. Rows that the lease does not hold any more are left out. */
export function settling(leaseId: string, rows: readonly SettledRow[]): Cte {
  const parked = rows.map(parkedFor).filter((name) => name !== null);
  const lease = lockingLease(leaseId);
  return cte(
    'settled',
    sql`
      update email_recipients r
      set lease_id = null, in_flight = false, attempts = r.attempts + 1,
          crashes = k.crashes,
          next_attempt_at = case when k.destination is null then now() + k.delay_ms * interval '1 millisecond' else 'infinity' end,
          destination = k.destination
      from ${lease.name}, ${SETTLEMENTS.from(rows)}
      where r.project_id = k.project_id and r.email_id = k.email_id and r.recipient_index = k.recipient_index
        -- protection: only while held
        and r.lease_id = ${lease.name}.lease_id and r.attempts = k.attempts
      returning r.project_id, r.email_id, r.recipient_index`,
    parked.length === 0 ? lease.sql : sql`${holdingDestinations(parked)}, ${lease.sql}`,
  );
}

function parkedFor({ settlement }: SettledRow): string | null {
  return settlement.kind === 'parked' ? settlement.destination : null;
}

function crashesOf({ crashes, settlement }: SettledRow): number {
  if (settlement.kind === 'crashed') return crashes + 1;
  return settlement.kind === 'parked' && !settlement.wasTried ? crashes : 0;
}

/** Null: there is no next attempt, or the destination says when. */
function delayOf(settlement: Settlement): number | null {
  return settlement.kind === 'done' || settlement.kind === 'parked' ? null : settlement.delayMs;
}

/** Gives rows back as if they had never been claimed. Rows that are not held any more are left alone. */
export async function release(database: Database, leaseId: string, rows: readonly RowKey[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update email_recipients r set lease_id = null, in_flight = false
    from ${KEYS.from(rows)}
    where r.project_id = k.project_id and r.email_id = k.email_id and r.recipient_index = k.recipient_index and r.lease_id = ${leaseId}`.execute(
    database,
  );
}

/** Gives back whatever the lease holds, but for these rows: also what its worker does not know of. */
export async function releaseOthers(
  database: Database,
  leaseId: string,
  kept: readonly RowKey[],
): Promise<void> {
  await sql`
    update email_recipients r set lease_id = null, in_flight = false
    where r.next_attempt_at < 'infinity' and r.lease_id = ${leaseId}
    and not exists (
      select from ${KEYS.from(kept)}
      where r.project_id = k.project_id and r.email_id = k.email_id and r.recipient_index = k.recipient_index
    )`.execute(database);
}

/**
 * Only the far side knows whether these were handed over: they stay held until they are settled or the lease ends, and
 * do not count a crash.
 */
export async function leaveToLease(
  database: Database,
  leaseId: string,
  rows: readonly RowKey[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update email_recipients r set in_flight = false
    from ${KEYS.from(rows)}
    where r.project_id = k.project_id and r.email_id = k.email_id and r.recipient_index = k.recipient_index and r.lease_id = ${leaseId}`.execute(
    database,
  );
}
