/** The bytes of an email's message, for users who inspect a sent message. */
import { rowIs } from '../../db/row-is.ts';
import type { Database } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { type Composing, composerOf } from './compose-email.ts';
import type { StoredEmail } from './stored-email.ts';

export interface RawMessage {
  /** The whole message with CRLF line ends. */
  data: Buffer;
  /**
   * True: the message was composed just now, as a worker does, with the domain's current keys. False: the sandbox stored the message. If
   * each recipient has a separate copy, `data` is one of the copies.
   */
  isRebuilt: boolean;
}

/**
 * @returns null if the project has no such email; `unsigned` if no message was stored and the project may no longer send from the sender's
 * domain, in which case a worker would send nothing
 */
export async function rawMessage(
  database: Database,
  composing: Composing,
  projectId: string,
  emailId: string,
): Promise<RawMessage | 'unsigned' | null> {
  const kept = await database
    .selectFrom('sandboxMessages')
    .select('message')
    .where((row) => rowIs(row, { projectId, emailId }))
    .executeTakeFirst();
  if (kept !== undefined) return { data: kept.message, isRebuilt: false };
  const email = await readStoredEmail(database, projectId, emailId);
  if (email === null) return null;
  const composed = await composerOf(email, composing).compose(0);
  return composed === null ? 'unsigned' : { data: composed.data, isRebuilt: true };
}

async function readStoredEmail(
  database: Database,
  projectId: string,
  emailId: string,
): Promise<StoredEmail | null> {
  const row = await database
    .selectFrom('emails')
    .innerJoin('emailContents', (join) =>
      join
        .onRef('emailContents.projectId', '=', 'emails.projectId')
        .onRef('emailContents.emailId', '=', 'emails.id'),
    )
    .leftJoin('emailMessages', (join) =>
      join
        .onRef('emailMessages.projectId', '=', 'emails.projectId')
        .onRef('emailMessages.emailId', '=', 'emails.id'),
    )
    .select(['digest', 'bodyHash', 'messageId', 'layout'])
    .select([
      'sender',
      'toList',
      'cc',
      'replyTo',
      'subject',
      'scheduledAt',
      'headers',
      'html',
      'text',
      'tracking',
      'traceParent',
      'bodiesDeletedAt',
    ])
    .where('emails.projectId', '=', projectId)
    .where('emails.id', '=', emailId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { traceParent, bodiesDeletedAt, ...content } = row;
  if (bodiesDeletedAt !== null)
    throw new AppError(
      'bad-request',
      'The body of this email was deleted, so its message is no longer available.',
    );
  return { projectId, emailId, traceParent, content };
}
