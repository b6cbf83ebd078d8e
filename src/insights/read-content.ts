import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import type { Stream } from '../model/streams.ts';

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
    .where('emails.projectId', '=', projectId)
    .where('emails.id', '=', emailId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { bodiesDeletedAt, headers, ...content } = row;
  if (bodiesDeletedAt !== null) throw new AppError('bad-request', 'The body of this email was deleted.');
  return { ...content, headers: headers ?? {}, isBulk: content.stream === 'bulk' };
}
