/** Stores the messages that applications submit by SMTP, in the statement that writes their emails. */
import { type RawBuilder, sql } from 'kysely';
import { type PreparedBlob, writingBlobs } from '../../blobs/prepared-blob.ts';
import { rowsOf } from '../../db/rows.ts';
import type { MessageLayout } from '../../model/message-layout.ts';

/** A message that is sent as it is. */
export interface NewMessage {
  blob: PreparedBlob;
  bodyHash: Buffer;
  messageId: string;
  layout: MessageLayout;
}

interface EmailOfMessage {
  projectId: string;
  emailId: string;
  message: NewMessage;
}

const MESSAGES = rowsOf<EmailOfMessage>('g', {
  project_id: ['uuid', (email) => email.projectId],
  email_id: ['uuid', (email) => email.emailId],
  digest: ['bytea', ({ message }) => message.blob.digest],
  octets: ['int4', ({ message }) => message.blob.size],
  body_hash: ['bytea', ({ message }) => message.bodyHash],
  message_id: ['text', ({ message }) => message.messageId],
  layout: ['json', ({ message }) => message.layout],
});

/** CTEs that store the messages of emails, with a trailing comma. Empty if every email is composed. */
export function recordingMessages(
  emails: readonly (Omit<EmailOfMessage, 'message'> & { message: NewMessage | null })[],
): RawBuilder<unknown> {
  const given = emails.filter((email): email is EmailOfMessage => email.message !== null);
  if (given.length === 0) return sql``;
  return sql`${writingBlobs(given.map(({ message }) => message.blob)).sql}, message as (
      insert into email_messages (${MESSAGES.names}) select ${MESSAGES.values} from ${MESSAGES.from(given)}
    ),`;
}
