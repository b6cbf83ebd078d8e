import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { MAX_CRASHES } from '../../queue/end-lease.ts';

/**
 * Puts the recipients that were given up as `internal` back on the queue. The timeline goes on; the status stays
 * `failed`, because it never moves down.
 * @returns how many recipients are due again
 */
export async function requeue(database: Database, projectId: string, emailId: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update recipients r set next_attempt_at = now(), attempts = 0, crashes = 0
    where r.project_id = ${projectId} and r.email_id = ${emailId} and r.next_attempt_at is null
      and r.crashes >= ${MAX_CRASHES}`.execute(database);
  return Number(numAffectedRows ?? 0n);
}
