import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import type { Stream } from '../model/streams.ts';
import type { StoredMessage } from '../sending/deliver/stored-email.ts';

const RECIPIENTS = sql<string[]>`array(
  select r.address from email_recipients r
  where r.project_id = emails.project_id and r.email_id = emails.id order by r.recipient_index)`;

/** The email as the sender submitted it. */
export interface SenderContent {
  sender: string;
  toList: string[];
  cc: string[];
  bcc: string[];
  replyTo: string | null;
  subject: string;
  headers: Record<string, string>;
  tags: string[];
  stream: Stream;
  html: string | null;
  text: string | null;
  isBulk: boolean;
  /** The message of an email that was submitted by SMTP. Null: the email is composed from its content. */
  message: Pick<StoredMessage, 'digest' | 'bodyHash' | 'layout'> | null;
  /** The addresses of the envelope, without duplicates. */
  recipients: string[];
}

/**
 * @returns null if the project has no such email
 * @throws AppError bad-request if the bodies were deleted
 */
export async function readContent(
  database: Database,
  projectId: string,
  emailId: string,
): Promise<SenderContent | null> {
  const row = await database
    .selectFrom('emails')
    .innerJoin('emailContents', (join) =>
      join
        .onRef('emailContents.projectId', '=', 'emails.projectId')
        .onRef('emailContents.emailId', '=', 'emails.id'),
    )
    .select(['sender', 'toList', 'cc', 'bcc', 'replyTo', 'subject', 'headers', 'tags', 'stream'])
    .select(['html', 'text', 'bodiesDeletedAt'])
    .leftJoin('emailMessages', (join) =>
      join
        .onRef('emailMessages.projectId', '=', 'emails.projectId')
        .onRef('emailMessages.emailId', '=', 'emails.id'),
    )
    .select(['digest', 'bodyHash', 'layout'])
    .select(RECIPIENTS.as('recipients'))
    .where('emails.projectId', '=', projectId)
    .where('emails.id', '=', emailId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { bodiesDeletedAt, headers, digest, bodyHash, layout, ...content } = row;
  if (bodiesDeletedAt !== null) throw new AppError('bad-request', 'The body of this email was deleted.');
  const message =
    digest === null || bodyHash === null || layout === null ? null : { digest, bodyHash, layout };
  return { ...content, headers: headers ?? {}, isBulk: content.stream === 'bulk', message };
}
