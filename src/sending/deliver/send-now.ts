import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { IS_LATER } from '../../queue/fragments.ts';

const SCHEDULED = columnsOf({ scheduledAt: 'timestamptz' });

/**
 * Sends a scheduled email now and sets its scheduled time to now.
 * @returns false if the project has no such email
 * @throws AppError bad-request if the email is not waiting for its scheduled time
 */
export async function sendNow(database: Database, projectId: string, emailId: string): Promise<boolean> {
  return retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      const { rows } = await SCHEDULED.sql`
        with later as (
          select recipient_index, scheduled_at from queue
          where project_id = ${projectId} and email_id = ${emailId} and lease_id is null and ${IS_LATER}
          order by recipient_index for no key update
        )
        update queue q set next_attempt_at = now(), scheduled_at = now()
        from later where q.project_id = ${projectId} and q.email_id = ${emailId} and q.recipient_index = later.recipient_index
        returning later.scheduled_at`.execute(tx);
      const [first] = rows;
      if (first === undefined) return isThere(tx, projectId, emailId);
      await tx
        .updateTable('emails')
        .set({ scheduledAt: sql<Date>`now()` })
        .where('projectId', '=', projectId)
        .where('id', '=', emailId)
        .execute();
      await recordChange(tx, {
        of: { projectId },
        action: 'email.send-now',
        target: encodeId('em', emailId),
        before: { scheduled_at: first.scheduledAt.toISOString() },
      });
      return true;
    }),
  );
}

/**
 * Throws the error for an email that is not waiting for its scheduled time.
 * @returns false if the email does not exist
 * @throws AppError bad-request if the email exists
 */
async function isThere(tx: DatabaseTransaction, projectId: string, emailId: string): Promise<false> {
  const email = await tx
    .selectFrom('emails')
    .select('id')
    .where('projectId', '=', projectId)
    .where('id', '=', emailId)
    .executeTakeFirst();
  if (email === undefined) return false;
  throw new AppError('bad-request', 'This email is not scheduled. It was sent or is being sent.');
}
