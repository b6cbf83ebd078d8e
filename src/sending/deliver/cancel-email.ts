import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { withdrawing } from '../../queue/withdraw.ts';
import { countEvents } from '../events/observe-events.ts';
import { recordEvents } from '../events/record-events.ts';
import { failedUnsent } from './outcome-events.ts';

/**
 * Removes from the queue the recipients whose message was not handed over, and records the cancellation on the timeline (docs/contract.md,
 * Cancelling). Rows in flight are not changed: either the worker finds that the row is deleted, or this call finds that the worker was
 * first.
 * @returns false if the project has no such email
 * @throws AppError bad-request with the reason if nothing can be cancelled
 */
export async function cancelEmail(database: Database, projectId: string, emailId: string): Promise<boolean> {
  const key = { projectId, emailId };
  const events = await retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      // Stops this attack: passing the id of a mailbox's submission, which is in the queue too, as the id of an email.
      const rows = (await isEmail(tx, key)) ? await withdrawing(tx, key) : [];
      if (rows.length === 0) return null;
      const events = rows.map((row) => failedUnsent(row, 'cancelled'));
      await recordEvents(tx, [{ ...key, events }]);
      await recordChange(tx, {
        of: { projectId },
        action: 'email.cancel',
        target: encodeId('em', emailId),
      });
      return { events };
    }),
  );
  if (events === null) return wasCancelled(database, key);
  countEvents(events.events);
  return true;
}

export interface EmailKey {
  projectId: string;
  emailId: string;
}

export async function isEmail(tx: DatabaseTransaction, { projectId, emailId }: EmailKey): Promise<boolean> {
  const { rows } = await sql`
    select from emails where project_id = ${projectId} and id = ${emailId}`.execute(tx);
  return rows.length > 0;
}

const STATE = columnsOf({ cancelled: 'bool', left: 'int4', inDoubt: 'int4' });

/**
 * Called if no recipient was left to cancel.
 * @returns false if the email does not exist; true if it was cancelled before
 * @throws AppError bad-request if the email exists and was not cancelled
 */
async function wasCancelled(database: Database, { projectId, emailId }: EmailKey): Promise<boolean> {
  const { rows } = await STATE.sql`
    select exists (
        select from events v where v.project_id = e.project_id and v.email_id = e.id and v.type = 'failed' and v.detail ->> 'reason' = 'cancelled'
      ) as cancelled, q.left, q.in_doubt
    from emails e cross join lateral (
      select count(*)::int as left, count(*) filter (where not in_flight)::int as in_doubt
      from queue q where q.project_id = e.project_id and q.email_id = e.id
    ) q
    where e.project_id = ${projectId} and e.id = ${emailId}`.execute(database);
  const [email] = rows;
  if (email === undefined) return false;
  if (email.cancelled) return true;
  throw new AppError('bad-request', whyNot(email));
}

function whyNot({ left, inDoubt }: { left: number; inDoubt: number }): string {
  if (left === 0) return 'Nothing is left to cancel: this email has been sent or has failed.';
  if (inDoubt > 0)
    return 'This email may have been sent: a worker stopped while it waited for the reply. The email will be retried. Check its events.';
  return 'This email is being sent, so it cannot be cancelled.';
}
