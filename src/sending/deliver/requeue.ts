import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { MAX_CRASHES } from '../../queue/end-lease.ts';

/**
 * Puts the recipients that were given up as `internal` back on the queue. The timeline goes on; the status stays
 * `failed`, because it never moves down.
 * @returns how many recipients are due again
 * @throws AppError bad-request when the body of the email was deleted
 */
export async function requeue(database: Database, projectId: string, emailId: string): Promise<number> {
  return database.transaction().execute(async (tx) => {
    const { numAffectedRows } = await sql`
      update email_recipients r set next_attempt_at = now(), attempts = 0, crashes = 0
      where r.project_id = ${projectId} and r.email_id = ${emailId} and r.next_attempt_at is null
        and r.crashes >= ${MAX_CRASHES}`.execute(tx);
    const recipients = Number(numAffectedRows ?? 0n);
    if (recipients === 0) return 0;
    // Looked at with the recipients locked: whoever deletes a body locks them first.
    const content = await tx
      .selectFrom('emailContents')
      .select('bodiesDeletedAt')
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .executeTakeFirst();
    if (content === undefined || content.bodiesDeletedAt !== null)
      throw new AppError('bad-request', 'The body of this email was deleted, so it cannot be sent again.');
    return recipients;
  });
}
