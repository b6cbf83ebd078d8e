/** Marks claimed rows as in flight, settles them or releases them. Every statement affects only rows claimed under the given lease id. */
import { sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import {
  HAS_KEY,
  lockingDestinations,
  inOrder,
  isClaimedUnder,
  KEY_COLUMNS,
  KEYS,
  keysOf,
  lockingLease,
  recordingAbandoned,
  type RowKey,
} from './fragments.ts';
import { isOfOtherKind } from './provider-kind.ts';

/** The settlement of a row after its attempt has ended. */
export type Settlement =
  /** No work is left, so the row is deleted. */
  | { kind: 'done' }
  /** The attempt ended without a final result. The next attempt follows after the delay. */
  | { kind: 'later'; delayMs: number }
  /**
   * The destination cannot be used, and the row waits until it can. `wasAttempted` is false if no attempt was made; the row then keeps its
   * crash count.
   */
  | { kind: 'parked'; destination: string; wasAttempted: boolean }
  /** The attempt failed in our own code and counts as a crash. The row is retried after the delay, or abandoned if the delay is null. */
  | { kind: 'crashed'; delayMs: number | null };

export interface SettledRow extends RowKey {
  /**
   * The number of attempts before this one. If a settlement is written twice, the second write finds a different number and has no effect.
   */
  attempts: number;
  crashes: number;
  settlement: Settlement;
}

/**
 * Marks rows as in flight before any work on them begins, so that after a crash it is known which rows were in flight. Skips rows that are
 * no longer claimed under the lease, and rows for the other kind of provider.
 */
export function markingInFlight(leaseId: string, rows: readonly RowKey[]): Cte {
  const lease = lockingLease(leaseId);
  return cte(
    'held',
    sql`
      update queue r set in_flight = true
      from ${lease.name}, ${keysOf(rows)}
      where ${HAS_KEY} and ${isClaimedUnder(sql`${lease.name}.lease_id`)} and not ${isOfOtherKind(lease.name)}
      returning r.project_id, r.email_id, r.recipient_index, r.address, r.stream`,
    lease.sql,
  );
}

const SETTLED_COLUMNS = { ...KEY_COLUMNS, attempts: ['int2', (row: SettledRow) => row.attempts] } as const;

/** The rows to delete: finished or abandoned. */
const ENDED = rowsOf<SettledRow>('k', { ...SETTLED_COLUMNS, crashes: ['int2', crashesOf] });

const DEFERRED = rowsOf<SettledRow>('k', {
  ...SETTLED_COLUMNS,
  crashes: ['int2', crashesOf],
  delay_ms: ['int4', ({ settlement }) => ('delayMs' in settlement ? settlement.delayMs : null)],
  was_answered: ['bool', wasAnswered],
  destination: ['text', parkedFor],
});

/** Ends the attempts on rows. Deletes rows without work left. Skips rows that are no longer claimed under the lease. */
export function settling(leaseId: string, rows: readonly SettledRow[]): Cte {
  const sorted = inOrder(rows);
  const ended = sorted.filter(isOver);
  const waiting = sorted.filter((row) => !isOver(row));
  const parts: Cte[] = [];
  const lease = lockingLease(leaseId);
  const isClaimed = sql`
    ${HAS_KEY}
    -- protection: only while held
    and ${isClaimedUnder(sql`${lease.name}.lease_id`)} and r.attempts = k.attempts
  `;
  if (ended.length > 0)
    parts.push(
      cte(
        'ended',
        sql`
          delete from queue r using ${lease.name}, ${ENDED.from(ended)} where ${isClaimed}
          returning r.project_id, r.email_id, r.recipient_index, k.crashes`,
      ),
    );
  if (waiting.length > 0)
    parts.push(
      cte(
        'deferred',
        sql`
          update queue r
          set lease_id = null, in_flight = false, attempts = r.attempts + 1,
              crashes = k.crashes, in_doubt = r.in_doubt and not k.was_answered,
              next_attempt_at = case when k.destination is null then now() + k.delay_ms * interval '1 millisecond' else 'infinity' end,
              destination = k.destination
          from ${lease.name}, ${DEFERRED.from(waiting)} where ${isClaimed}
          returning r.project_id, r.email_id, r.recipient_index, k.crashes`,
      ),
    );
  const settled = cte(
    'settled',
    sql.join(
      parts.map(({ name }) => sql`select project_id, email_id, recipient_index from ${name}`),
      sql` union all `,
    ),
  );
  const parked = waiting.map(parkedFor).filter((name) => name !== null);
  const before = [
    ...(parked.length === 0 ? [] : [lockingDestinations(parked)]),
    lease.sql,
    ...parts.map((part) => part.sql),
    ...(ended.some(isAbandoned) ? [recordingAbandoned(sql`select * from ended where crashes > 0`)] : []),
  ];
  return { name: settled.name, sql: sql.join([...before, settled.sql]) };
}

/** Whether the row is abandoned because of errors in our own code. In the CTE `ended`, only such rows have crashes. */
function isAbandoned({ settlement }: SettledRow): boolean {
  return settlement.kind === 'crashed' && settlement.delayMs === null;
}

function isOver(row: SettledRow): boolean {
  return row.settlement.kind === 'done' || isAbandoned(row);
}

function parkedFor({ settlement }: SettledRow): string | null {
  return settlement.kind === 'parked' ? settlement.destination : null;
}

/** Whether a server was contacted and its reply is known. A row is no longer in doubt after a known reply. */
function wasAnswered({ settlement }: SettledRow): boolean {
  return settlement.kind === 'later' || (settlement.kind === 'parked' && settlement.wasAttempted);
}

function crashesOf({ crashes, settlement }: SettledRow): number {
  if (settlement.kind === 'crashed') return crashes + 1;
  return settlement.kind === 'parked' && !settlement.wasAttempted ? crashes : 0;
}

/** Releases rows as if they had never been claimed. Skips rows that are no longer claimed under the lease. */
export async function release(database: Database, leaseId: string, rows: readonly RowKey[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update queue r set lease_id = null, in_flight = false
    from ${keysOf(rows)} where ${HAS_KEY} and ${isClaimedUnder(sql`${leaseId}`)}`.execute(database);
}

/** Releases all rows of the lease except `retained`, including rows that the worker does not know of. */
export async function releaseOthers(
  database: Database,
  leaseId: string,
  retained: readonly RowKey[],
): Promise<void> {
  await sql`
    update queue r set lease_id = null, in_flight = false
    where r.lease_id = ${leaseId}
    -- Not \`not exists\`, which would compare each row with each key.
    and (r.project_id, r.email_id, r.recipient_index) not in (select ${KEYS.values} from ${KEYS.from(retained)})`.execute(
    database,
  );
}

/**
 * Keeps rows claimed until they are settled or the lease ends, because only the remote server knows whether it accepted the message. No
 * crash is counted for these rows, and they cannot be reported as cancelled.
 */
export async function leaveToLease(
  database: Database,
  leaseId: string,
  rows: readonly RowKey[],
): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update queue r set in_flight = false, in_doubt = true
    from ${keysOf(rows)} where ${HAS_KEY} and ${isClaimedUnder(sql`${leaseId}`)}`.execute(database);
}
