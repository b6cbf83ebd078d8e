/** SQL fragments that the statements of the queue share. */
import { type RawBuilder, sql } from 'kysely';
import { textArray } from '../db/arrays.ts';
import { type Cte, cte } from '../db/cte.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import { type Columns, rowsOf } from '../db/rows.ts';
import { NIL_UUID } from '../model/ids.ts';

/** The primary key columns of the queue. */
export const ROW_KEY = columnsOf({ projectId: 'uuid', emailId: 'uuid', recipientIndex: 'int2' });

export type RowKey = RowOf<typeof ROW_KEY>;

export const ADDRESSED_ROW = columnsOf({ ...ROW_KEY.kinds, address: 'text' });
/** The primary key of a queue row, with the address of the recipient. */
export type AddressedRow = RowOf<typeof ADDRESSED_ROW>;

/** Sorts before the key of every row. */
export const BEFORE_ALL: RowKey = { projectId: NIL_UUID, emailId: NIL_UUID, recipientIndex: -1 };

/** Condition on a queue row: its email is scheduled for a later time. */
export const IS_LATER = sql<boolean>`(scheduled_at is not null and scheduled_at > now())`;

export const KEY_COLUMNS = {
  project_id: ['uuid', (row: RowKey) => row.projectId],
  email_id: ['uuid', (row: RowKey) => row.emailId],
  recipient_index: ['int2', (row: RowKey) => row.recipientIndex],
} as const satisfies Columns<RowKey>;

/** Keys of queue rows, as a relation with the alias `k`. */
export const KEYS = rowsOf<RowKey>('k', KEY_COLUMNS);

/**
 * Condition: the queue row `r` has the key `k`, which comes from `KEYS` or another CTE. If all three columns were compared with `=`,
 * PostgreSQL could scan the whole index for each key when its statistics are from a time when the queue was empty. `any` on the first
 * column rules out every join except one index search per key (docs/decisions/0121-keys-by-project.md).
 */
export const HAS_KEY = sql`
  r.project_id = any(array[k.project_id]) and r.email_id = k.email_id and r.recipient_index = k.recipient_index`;

/** Sorts rows by primary key. All statements lock queue rows in this order, so that two statements on the same rows cannot deadlock. */
export function inOrder<Row extends RowKey>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => {
    if (a.projectId !== b.projectId) return a.projectId < b.projectId ? -1 : 1;
    if (a.emailId !== b.emailId) return a.emailId < b.emailId ? -1 : 1;
    return a.recipientIndex - b.recipientIndex;
  });
}

/** The keys of the given rows for a FROM clause, with the alias `k`. */
export function keysOf(rows: readonly RowKey[]): RawBuilder<unknown> {
  return KEYS.from(inOrder(rows));
}

/** CTE that locks the row of the lease until the transaction ends, so that the lease cannot end in the meantime. */
export function lockingLease(leaseId: string): Cte {
  // protection: lease locked
  return cte('lease', sql`select lease_id, is_sandbox from leases where lease_id = ${leaseId} for key share`);
}

/** Like `lockingLease`, for claims: finds no row if the lease was closed because its process seemed dead. */
export function lockingOpenLease(leaseId: string): Cte {
  return cte(
    'lease',
    sql`select lease_id, is_sandbox from leases where lease_id = ${leaseId} and not is_closed for key share`,
  );
}

/**
 * Condition: the queue row `r` is claimed under the lease. Use this condition in statements that find their rows by key. With `=`,
 * PostgreSQL could use the index on `lease_id` and scan every row that the worker has claimed since the last vacuum.
 */
export function isClaimedUnder(leaseId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`r.lease_id is not distinct from ${leaseId}`;
}

/**
 * CTE that creates the rows of destinations if necessary and locks them until the transaction ends.
 * @param options `areDue` makes destinations that accept mail due
 */
export function lockingDestinations(
  names: readonly string[],
  { areDue }: { areDue: boolean } = { areDue: false },
): RawBuilder<unknown> {
  return sql`
    locked_destinations as (
      insert into destinations (name, failures, next_attempt_at)
      -- protection: row of a parked destination
      select name, 0, now() from unnest(${textArray([...new Set(names)])}::text[]) as d (name) order by name
      on conflict (name) do update
      set next_attempt_at = case when ${areDue} and destinations.failures = 0 then now() else destinations.next_attempt_at end
    )`;
}

/**
 * CTE that records the crashes of abandoned recipients, so that an operator can have the recipients retried.
 * @param rows a query for the keys and crashes of the recipients
 */
export function recordingAbandoned(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    abandoned as (
      update email_recipients r set crashes = g.crashes from (${rows}) g
      where r.project_id = g.project_id and r.email_id = g.email_id and r.recipient_index = g.recipient_index
    )`;
}
