/** Parts of the statements of the queue. */
import { type RawBuilder, sql } from 'kysely';
import { textArray, uuidArray } from '../db/arrays.ts';
import { type Cte, cte } from '../db/cte.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import { type Columns, rowsOf } from '../db/rows.ts';

/** Columns of statements that return it. */
export const ROW_KEY = columnsOf({ projectId: 'uuid', emailId: 'uuid', recipientIndex: 'int2' });

export type RowKey = RowOf<typeof ROW_KEY>;

/** A row of the queue of an email that is to be sent later: it waits for nothing but its time. */
export const IS_LATER = sql<boolean>`(scheduled_at is not null and scheduled_at > now())`;

export const KEY_COLUMNS = {
  project_id: ['uuid', (row: RowKey) => row.projectId],
  email_id: ['uuid', (row: RowKey) => row.emailId],
  recipient_index: ['int2', (row: RowKey) => row.recipientIndex],
} as const satisfies Columns<RowKey>;

/** Rows of the queue, as `k`. */
export const KEYS = rowsOf<RowKey>('k', KEY_COLUMNS);

/**
 * Whether the email of a row of the queue, as `r`, is that of one of these rows. A statement that joins the queue with keys needs it:
 * PostgreSQL plans by the rows that it counted last, and for a queue that was empty then and is long now it would walk a whole index.
 */
export function isOfEmails(rows: readonly RowKey[]): RawBuilder<unknown> {
  return sql`r.email_id = any(${uuidArray(rows.map(({ emailId }) => emailId))}::uuid[])`;
}

/**
 * Whether a row of the queue, as `r`, is one of these. Not a join: PostgreSQL expects a handful of rows, searches the index for each key, and
 * sorts the whole array of `isOfEmails` anew for each search. For 9,200 rows that took 3 to 25 s. `is true` keeps this from
 * becoming a join, so that the keys are hashed.
 */
export function isAmong(rows: readonly RowKey[]): RawBuilder<unknown> {
  return sql`${isOfEmails(rows)} and (${KEY} in (select ${KEYS.values} from ${KEYS.from(rows)})) is true`;
}

/** Whether a row of the queue, as `r`, is one of those of a part of the statement: see `isAmong`. */
export function isAmongThose(part: string): RawBuilder<unknown> {
  const from = sql.raw(part);
  return sql`r.email_id = any(array(select email_id from ${from}))
    and (${KEY} in (select project_id, email_id, recipient_index from ${from})) is true`;
}

const KEY = sql`(r.project_id, r.email_id, r.recipient_index)`;

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
export function isHeldUnder(leaseId: RawBuilder<unknown>): RawBuilder<unknown> {
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
export function recordingGivenUp(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    given_up as (
      update email_recipients r set crashes = g.crashes from (${rows}) g
      where r.project_id = g.project_id and r.email_id = g.email_id and r.recipient_index = g.recipient_index
    )`;
}
