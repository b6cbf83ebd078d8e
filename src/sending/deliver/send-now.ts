/** Makes waiting recipients of an email due now, at the request of a user. */
import { type RawBuilder, sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { encodeId, firstUuidAt } from '../../model/ids.ts';
import { DOMAIN, IS_DEFERRED } from '../../queue/deferred.ts';
import { IS_LATER, ROW_KEY } from '../../queue/fragments.ts';
import { SENDING_STOPPED } from '../../queue/pause.ts';
import { isDomainPaused } from '../../queue/paused-destinations.ts';
import { IS_SANDBOX } from '../../queue/provider-kind.ts';
import { type EmailKey, isEmail } from './cancel-email.ts';

/** The shortest time between two attempts that users request for a recipient, so that a script does not occupy the recipient's server. */
const MIN_BETWEEN_TRIES_MS = 10_000;
/** The number of attempts after which only the schedule applies. The schedule itself makes fewer in three days. */
const MAX_ATTEMPTS = 30;
/** The number of tries that a project can request per hour. */
const MAX_TRIES = 100;
const TRY = 'email.try';

const SCHEDULED = columnsOf({ scheduledAt: 'timestamptz' });

/**
 * Sends a scheduled email now and sets its scheduled time to now.
 * @returns false if the project has no such email
 * @throws AppError bad-request if the email is not waiting for its scheduled time
 */
export async function sendNow(database: Database, projectId: string, emailId: string): Promise<boolean> {
  return changingEmail(database, { projectId, emailId }, async (tx) => {
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
    if (first === undefined)
      throw new AppError('bad-request', 'This email is not scheduled. It was sent or is being sent.');
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
  });
}

/**
 * Condition on a queue row `q`: `tryNow` makes the recipient due. The recipient was deferred, its next attempt is not imminent, and its last
 * attempt was not just made. After an attempt that failed in our own code, which leaves no event, only the schedule applies. Recipients of a
 * destination that is closed are left out: if a project could have them tried, it could have the destination tried for all projects.
 */
export function mayTryNow(): RawBuilder<boolean> {
  const lastTry = firstUuidAt(new Date(clock.nowMs() - MIN_BETWEEN_TRIES_MS));
  return sql<boolean>`(
    ${IS_DEFERRED} and next_attempt_at > now() + ${MIN_BETWEEN_TRIES_MS}::int * interval '1 millisecond'
    and attempts < ${sql.lit(MAX_ATTEMPTS)} and crashes = 0
    and coalesce(is_sandbox = ${IS_SANDBOX}, true) and ${SENDING_STOPPED} is null and not ${isDomainPaused(DOMAIN)}
    and not exists (select from destinations d where d.name = ${DOMAIN} and d.failures > 0)
    and not exists (
      select from events v
      where v.project_id = q.project_id and v.email_id = q.email_id and v.id > ${lastTry} and v.type = 'deferred' and v.recipient = q.address
    ))`;
}

/**
 * Makes the deferred recipients of an email due now. The attempts count on, and the time at which the email is abandoned does not change.
 * @returns false if the project has no such email
 * @throws AppError rate-limited if the project had too many emails tried; bad-request if no recipient can be tried now
 */
export async function tryNow(database: Database, projectId: string, emailId: string): Promise<boolean> {
  return changingEmail(database, { projectId, emailId }, async (tx) => {
    if ((await countTries(tx, projectId)) >= MAX_TRIES)
      throw new AppError(
        'rate-limited',
        `This project had ${MAX_TRIES} emails tried within the last hour. Other emails are tried at the time of their next attempt.`,
        { retryAfterSeconds: 600 },
      );
    // The condition is checked by a second statement, which sees what another worker committed before the rows were locked.
    const { rows } = await ROW_KEY.sql`
      select project_id, email_id, recipient_index from queue
      where project_id = ${projectId} and email_id = ${emailId} and ${IS_DEFERRED}
      order by recipient_index for no key update skip locked`.execute(tx);
    const indexes = rows.map(({ recipientIndex }) => recipientIndex);
    const { numAffectedRows = 0n } = await sql`
      update queue q set next_attempt_at = now()
      where project_id = ${projectId} and email_id = ${emailId} and recipient_index = any(${indexes}::int[]) and ${mayTryNow()}`.execute(
      tx,
    );
    if (numAffectedRows === 0n)
      throw new AppError(
        'bad-request',
        `No recipient can be tried now. Each one is done, is being sent to, was tried within the last ten seconds or already ${MAX_ATTEMPTS} times, or waits because its server accepts no mail or sending is paused.`,
      );
    await recordChange(tx, { of: { projectId }, action: TRY, target: encodeId('em', emailId) });
  });
}

/** Counts the tries of a project within the last hour. */
async function countTries(tx: DatabaseTransaction, projectId: string): Promise<number> {
  const { rows } = await columnsOf({ count: 'int4' }).sql`
    select count(*)::int as count from audit_log
    where organization_id = (select organization_id from projects where id = ${projectId}) and project_id = ${projectId}
      and id > ${firstUuidAt(new Date(clock.nowMs() - 3_600_000))} and action = ${TRY}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** @returns false if the project has no such email; the change is then not made */
async function changingEmail(
  database: Database,
  key: EmailKey,
  change: (tx: DatabaseTransaction) => Promise<void>,
): Promise<boolean> {
  return retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      // Stops this attack: passing the id of a mailbox's submission, which is in the queue too, as the id of an email.
      if (!(await isEmail(tx, key))) return false;
      await change(tx);
      return true;
    }),
  );
}
