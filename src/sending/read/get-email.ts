/** One email with its timeline (docs/contract.md, getEmail). */
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { EmailDetail } from '../../contract/emails.ts';
import { storedEvent } from '../../contract/stored-event.ts';
import type { Database } from '../../db/database.ts';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { encodeId, messageIdOf, timeOf } from '../../model/ids.ts';
import { STATUS } from '../events/stored-status.ts';

/**
 * Returns null if the project has no such email. The returned content is the content that was sent. One statement reads everything, so that
 * the status and the timeline agree.
 */
export async function getEmail(
  database: Database,
  projectId: string,
  emailId: string,
): Promise<EmailDetail | null> {
  const email = await database
    .selectFrom('emails as e')
    .innerJoin('emailContents', (join) =>
      join.onRef('emailContents.projectId', '=', 'e.projectId').onRef('emailContents.emailId', '=', 'e.id'),
    )
    .leftJoin('emailMessages', (join) =>
      join.onRef('emailMessages.projectId', '=', 'e.projectId').onRef('emailMessages.emailId', '=', 'e.id'),
    )
    .select('messageId')
    .select(['e.id', 'subject', 'sender', 'senderAddress', 'toList', 'tags', 'stream', 'scheduledAt'])
    .select(STATUS.as('status'))
    .select(['html', 'text', 'cc', 'bcc', 'replyTo', 'headers', 'bodiesDeletedAt', 'templateId'])
    .select(({ selectFrom }) =>
      jsonArrayFrom(
        selectFrom('events')
          .select(['events.id', 'type', 'recipient', 'detail'])
          .whereRef('events.projectId', '=', 'e.projectId')
          .whereRef('events.emailId', '=', 'e.id')
          .orderBy('events.id'),
      ).as('events'),
    )
    .where('e.projectId', '=', projectId)
    .where('e.id', '=', emailId)
    .executeTakeFirst();
  if (email === undefined) return null;
  return {
    id: encodeId('em', email.id),
    status: EMAIL_STAGES[email.status] ?? 'queued',
    subject: email.subject,
    from: email.sender,
    to: email.toList,
    created_at: timeOf(email.id).toISOString(),
    scheduled_at: email.scheduledAt?.toISOString() ?? null,
    html: email.html ?? '',
    text: email.text ?? '',
    bodies_deleted_at: email.bodiesDeletedAt?.toISOString() ?? null,
    stream: email.stream,
    template_id: email.templateId === null ? null : encodeId('tpl', email.templateId),
    cc: email.cc,
    bcc: email.bcc,
    reply_to: email.replyTo,
    headers: email.headers ?? {},
    tags: email.tags,
    message_id: email.messageId ?? messageIdOf(email.id, domainOf(email.senderAddress)),
    events: email.events.map(({ id, type, recipient, detail }) =>
      storedEvent({
        id: encodeId('evt', id),
        type,
        created_at: timeOf(id).toISOString(),
        recipient,
        detail,
      }),
    ),
  };
}

/** @param address a normalized address */
function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
