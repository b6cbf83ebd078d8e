/** Parts of the statements of the queue. */
import { type RawBuilder, sql } from 'kysely';
import { int2Array, textArray, uuidArray } from '../db/arrays.ts';

export interface RowKey {
  projectId: string;
  emailId: string;
  n: number;
}

/** For `unnest(...) as k (project_id, email_id, n)`. */
export function keyArrays(rows: readonly RowKey[]) {
  return sql`${uuidArray(rows.map((row) => row.projectId))}::uuid[], ${uuidArray(rows.map((row) => row.emailId))}::uuid[],
    ${int2Array(rows.map((row) => row.n))}::smallint[]`;
}

/** The row of the life, locked until the transaction ends, so that nobody can end the life meanwhile. */
export function lockingLife(epoch: string): RawBuilder<unknown> {
  return sql`life as (select epoch from workers where epoch = ${epoch} for key share)`;
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
