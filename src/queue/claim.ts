/** Taking due rows: a lease on them, nothing more. */
import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { lockingLease } from './fragments.ts';

/** A recipient of an email that has work left. */
export interface ClaimedRow {
  projectId: string;
  emailId: string;
  recipientIndex: number;
  address: string;
  /** The size of the message, about. */
  octets: number;
  attempts: number;
  crashes: number;
}

/** After this many crashes with a row in flight it runs alone. */
// protection: poison alone
const POISON_CRASHES = 2;

/** Up to `limit` due rows, the longest due first. Rows that others hold, or are just claiming, are passed over. */
export function claimDue(database: Database, leaseId: string, limit: number): Promise<ClaimedRow[]> {
  return claim(database, leaseId, limit, sql`crashes < ${sql.lit(POISON_CRASHES)}`);
}

/** One due row that was in flight at two crashes or more. Its caller runs it with nothing else in flight. */
export async function claimPoison(database: Database, leaseId: string): Promise<ClaimedRow | null> {
  const [row] = await claim(database, leaseId, 1, sql`crashes >= ${sql.lit(POISON_CRASHES)}`);
  return row ?? null;
}

/** Whether the row was in flight at two crashes or more. */
export function isPoison({ crashes }: ClaimedRow): boolean {
  return crashes >= POISON_CRASHES;
}

async function claim(
  database: Database,
  leaseId: string,
  limit: number,
  which: ReturnType<typeof sql<boolean>>,
): Promise<ClaimedRow[]> {
  const lease = lockingLease(leaseId);
  const { rows } = await sql<ClaimedRow>`
    with ${lease.sql}, due as (
      select project_id, email_id, n from recipients
      where next_attempt_at <= now() and next_attempt_at is not null and epoch is null and ${which}
      order by next_attempt_at
      limit ${limit}
      for no key update skip locked
    )
    update recipients r set epoch = ${lease.name}.epoch
    from due, ${lease.name}
    where r.project_id = due.project_id and r.email_id = due.email_id and r.n = due.n
    returning r.project_id, r.email_id, r.n, r.address, r.octets, r.attempts, r.crashes`.execute(database);
  return rows;
}
