/** Rows that a lease holds are marked as in flight, settled, or given back. All of it is fenced by the lease id. */
import { sql } from 'kysely';
import { type Cte, cte } from '../db/cte.ts';
import type { Database } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import {
  HAS_KEY,
  holdingDestinations,
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
 * flight. Rows that the lease does not hold any more are left out, and so are those that belong to the other kind of provider.
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

const HELD_COLUMNS = { ...KEY_COLUMNS, attempts: ['int2', (row: SettledRow) => row.attempts] } as const;

/** For which nothing is left to do. */
const ENDED = rowsOf<SettledRow>('k', { ...HELD_COLUMNS, crashes: ['int2', crashesOf] });

const PUT_OFF = rowsOf<SettledRow>('k', {
  ...HELD_COLUMNS,
  crashes: ['int2', crashesOf],
  delay_ms: ['int4', ({ settlement }) => ('delayMs' in settlement ? settlement.delayMs : null)],
  was_answered: ['bool', wasAnswered],
  destination: ['text', parkedFor],
});

/**
 * Ends the attempts on rows. Those for which nothing is left to do go. Rows that the lease does not hold any more are left out.
 */
export function settling(leaseId: string, rows: readonly SettledRow[]): Cte {
  const sorted = inOrder(rows);
  const ended = sorted.filter(isOver);
  const waiting = sorted.filter((row) => !isOver(row));
  const parts: Cte[] = [];
  const lease = lockingLease(leaseId);
  const isHeld = sql`
    ${HAS_KEY}
    -- protection: only while held
    and ${isClaimedUnder(sql`${lease.name}.lease_id`)} and r.attempts = k.attempts
  `;
  if (ended.length > 0)
    parts.push(
      cte(
        'ended',
        sql`
          delete from queue r using ${lease.name}, ${ENDED.from(ended)} where ${isHeld}
          returning r.project_id, r.email_id, r.recipient_index, k.crashes`,
      ),
    );
  if (waiting.length > 0)
    parts.push(
      cte(
        'put_off',
        sql`
          update queue r
          set lease_id = null, in_flight = false, attempts = r.attempts + 1,
              crashes = k.crashes, in_doubt = r.in_doubt and not k.was_answered,
              next_attempt_at = case when k.destination is null then now() + k.delay_ms * interval '1 millisecond' else 'infinity' end,
              destination = k.destination
          from ${lease.name}, ${PUT_OFF.from(waiting)} where ${isHeld}
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
    ...(parked.length === 0 ? [] : [holdingDestinations(parked)]),
    lease.sql,
    ...parts.map((part) => part.sql),
    ...(ended.some(isGivenUp) ? [recordingAbandoned(sql`select * from ended where crashes > 0`)] : []),
  ];
  return { name: settled.name, sql: sql.join([...before, settled.sql]) };
}

/** Given up in our own code. A row that was settled otherwise has no crashes. */
function isGivenUp({ settlement }: SettledRow): boolean {
  return settlement.kind === 'crashed' && settlement.delayMs === null;
}

function isOver(row: SettledRow): boolean {
  return row.settlement.kind === 'done' || isGivenUp(row);
}

function parkedFor({ settlement }: SettledRow): string | null {
  return settlement.kind === 'parked' ? settlement.destination : null;
}

/** Somebody was asked, and what they said is known: the row is at its beginning again. */
function wasAnswered({ settlement }: SettledRow): boolean {
  return settlement.kind === 'later' || (settlement.kind === 'parked' && settlement.wasTried);
}

function crashesOf({ crashes, settlement }: SettledRow): number {
  if (settlement.kind === 'crashed') return crashes + 1;
  return settlement.kind === 'parked' && !settlement.wasTried ? crashes : 0;
}

/** Gives rows back as if they had never been claimed. Rows that are not held any more are left alone. */
export async function release(database: Database, leaseId: string, rows: readonly RowKey[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update queue r set lease_id = null, in_flight = false
    from ${keysOf(rows)} where ${HAS_KEY} and ${isClaimedUnder(sql`${leaseId}`)}`.execute(database);
}

/** Gives back whatever the lease holds, but for these rows: also what its worker does not know of. */
export async function releaseOthers(
  database: Database,
  leaseId: string,
  kept: readonly RowKey[],
): Promise<void> {
  await sql`
    update queue r set lease_id = null, in_flight = false
    where r.lease_id = ${leaseId}
    -- Not \`not exists\`: PostgreSQL would compare each row with each key.
    and (r.project_id, r.email_id, r.recipient_index) not in (select ${KEYS.values} from ${KEYS.from(kept)})`.execute(
    database,
  );
}

/**
 * Only the far side knows whether these were handed over: they stay held until they are settled or the lease ends, and
 * do not count a crash. Nobody can say that they were cancelled.
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
