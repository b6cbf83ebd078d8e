/** Parts of the statements of the queue. */
import { type RawBuilder, sql } from 'kysely';
import { textArray } from '../db/arrays.ts';
import { type Cte, cte } from '../db/cte.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import { type Columns, rowsOf } from '../db/rows.ts';
import { NIL_UUID } from '../model/ids.ts';

/** Columns of statements that return it. */
export const ROW_KEY = columnsOf({ projectId: 'uuid', emailId: 'uuid', recipientIndex: 'int2' });

export type RowKey = RowOf<typeof ROW_KEY>;

export const ADDRESSED_ROW = columnsOf({ ...ROW_KEY.kinds, address: 'text' });
/** With the address of the recipient. */
export type AddressedRow = RowOf<typeof ADDRESSED_ROW>;

/** Before the key of each row. */
export const BEFORE_ALL: RowKey = { projectId: NIL_UUID, emailId: NIL_UUID, recipientIndex: -1 };

/** A row of the queue of an email that is to be sent later: it waits for nothing but its time. */
export const IS_LATER = sql<boolean>`(scheduled_at is not null and scheduled_at > now())`;

export const KEY_COLUMNS = {
  project_id: ['uuid', (row: RowKey) => row.projectId],
  email_id: ['uuid', (row: RowKey) => row.emailId],
  recipient_index: ['int2', (row: RowKey) => row.recipientIndex],
} as const satisfies Columns<RowKey>;

/** Keys of rows of the queue, as `k`. */
export const KEYS = rowsOf<RowKey>('k', KEY_COLUMNS);

/**
 * Whether a row of the queue, as `r`, has the key `k`: a row of `KEYS`, or of a part of the statement. PostgreSQL plans by the rows that it counted last.
 * With three equals signs it would walk the whole index beside the keys of a queue that was empty then and is long now. No join but a search for each key
 * can use `any` on the first column of the index (docs/decisions/0121-keys-by-project.md).
 */
export const HAS_KEY = sql`
  r.project_id = any(array[k.project_id]) and r.email_id = k.email_id and r.recipient_index = k.recipient_index`;

/** In the order of the key of the queue, in which all statements lock its rows: two with common rows do not wait for each other. */
export function inOrder<Row extends RowKey>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => {
    if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1;
    if (a.emailId !== b.emailId) return a.emailId < b.emailId ? -1 : 1;
    return a.recipientIndex - b.recipientIndex;
  });
}

/** The keys of these rows, as `k`, for a from clause. */
export function keysOf(rows: readonly RowKey[]): RawBuilder<unknown> {
  return KEYS.from(inOrder(rows));
}

/** The row of the lease, locked until the transaction ends, so that nobody can end the lease meanwhile. */
export function lockingLease(leaseId: string): Cte {
  // protection: lease locked
  return cte('lease', sql`select lease_id, is_sandbox from leases where lease_id = ${leaseId} for key share`);
}

/** The same for claims: nothing more is claimed under a lease that was closed because its process seemed dead. */
export function lockingOpenLease(leaseId: string): Cte {
  return cte(
    'lease',
    sql`select lease_id, is_sandbox from leases where lease_id = ${leaseId} and not is_closed for key share`,
  );
}

/**
 * Whether a row of the queue, as `r`, is held under the lease. For statements that find their rows by their keys: with an equals sign PostgreSQL may
 * take the index of leases, and go through all that the worker has held since the last vacuum.
 */
export function isClaimedUnder(leaseId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`r.lease_id is not distinct from ${leaseId}`;
}

/** The statement's part that makes the rows of destinations exist, and holds them until it is committed. */
export function holdingDestinations(names: readonly string[]): RawBuilder<unknown> {
  return sql`
    held_destinations as (
      insert into destinations (name, failures, next_attempt_at)
      -- protection: row of a parked destination
      select name, 0, now() from unnest(${textArray([...new Set(names)])}::text[]) as d (name) order by name
      on conflict (name) do update set name = excluded.name
    )`;
}

/**
 * The statement's part that remembers of recipients that they were given up, so that an operator can have them tried again.
 * @param rows a query of their keys and crashes
 */
export function recordingAbandoned(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    given_up as (
      update email_recipients r set crashes = g.crashes from (${rows}) g
      where r.project_id = g.project_id and r.email_id = g.email_id and r.recipient_index = g.recipient_index
    )`;
}
