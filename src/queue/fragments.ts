/** Parts of the statements of the queue. */
import { type RawBuilder, sql } from 'kysely';
import { int2Array, textArray, uuidArray } from '../db/arrays.ts';

export interface RowKey {
  projectId: string;
  emailId: string;
  recipientIndex: number;
}

/** For `unnest(...) as k (project_id, email_id, n)`. */
export function keyArrays(rows: readonly RowKey[]) {
  return sql`${uuidArray(rows.map((row) => row.projectId))}::uuid[], ${uuidArray(rows.map((row) => row.emailId))}::uuid[],
    ${int2Array(rows.map((row) => row.recipientIndex))}::smallint[]`;
}

/** The row of the lease, locked until the transaction ends, so that nobody can end the lease meanwhile. */
export function lockingLease(leaseId: string): RawBuilder<unknown> {
  return sql`lease as (select epoch from workers where epoch = ${leaseId} for key share)`;
}

/** The statement's part that makes the rows of destinations exist, and holds them until it is committed. */
export function holdingDestinations(names: readonly string[]): RawBuilder<unknown> {
  return sql`
    held_destinations as (
      insert into destinations (name, failures, next_attempt_at)
      select name, 0, now() from unnest(${textArray([...new Set(names)])}::text[]) as d (name) order by name
      on conflict (name) do update set name = excluded.name
    )`;
}
