import { sql } from 'kysely';
import { recordChange } from '../../accounts/audit.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { encodeId } from '../../model/ids.ts';
import { MAX_CRASHES } from '../../queue/end-lease.ts';

/**
 * Requeues recipients that were abandoned as `internal`. The timeline continues. The status stays `failed`, because a status never moves
 * back. Attempts count from 1 again.
 * @returns the number of recipients that are due again
 * @throws AppError bad-request if the body of the email was deleted
 */
export async function requeue(database: Database, projectId: string, emailId: string): Promise<number> {
  return database.transaction().execute(async (tx) => {
    const abandoned = await tx
      .updateTable('emailRecipients')
      .set({ crashes: 0 })
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .where('crashes', '>=', MAX_CRASHES)
      .returning(['recipientIndex'])
      .execute();
    if (abandoned.length === 0) return 0;
    // Read while the recipients are locked, because a deletion of the body locks the recipients first.
    const content = await tx
      .selectFrom('emailContents')
      .select('bodiesDeletedAt')
      .where('projectId', '=', projectId)
      .where('emailId', '=', emailId)
      .executeTakeFirst();
    if (content === undefined || content.bodiesDeletedAt !== null)
      throw new AppError('bad-request', 'The body of this email was deleted, so it cannot be sent again.');
    const indexes = abandoned.map(({ recipientIndex }) => recipientIndex);
    await sql`
      insert into queue (project_id, email_id, recipient_index, address, octets, stream, scheduled_at, is_sandbox)
      select project_id, email_id, r.recipient_index, r.address,
             coalesce(g.octets, coalesce(length(c.html), 0) + coalesce(length(c.text), 0) + coalesce(length(c.headers::text), 0)), c.stream,
             e.scheduled_at, e.is_sandbox
      from email_recipients r join email_contents c using (project_id, email_id) left join email_messages g using (project_id, email_id) join emails e using (project_id)
      where project_id = ${projectId} and email_id = ${emailId} and e.id = ${emailId} and r.recipient_index = any(${indexes}::int[])`.execute(
      tx,
    );
    await recordChange(tx, { of: { projectId }, action: 'email.retry', target: encodeId('em', emailId) });
    return abandoned.length;
  });
}
