import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { DsnRequest } from '../../rfc/smtp/dsn-parameters.ts';
import type { MessageLayout } from '../../model/message-layout.ts';
import type { SubmissionKind } from '../../model/submission-kinds.ts';
import type { Tracking } from '../../model/tracking.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';

/** The data of an email or a submission that an attempt reads. */
export interface StoredEmail<Content = ComposedContent> {
  projectId: string;
  emailId: string;
  content: Content;
  /** W3C traceparent of the request that sent the email; null without tracing. */
  traceParent: string | null;
}

/** The sender's content, from which the message is composed. */
export const COMPOSED_CONTENT = columnsOf({
  sender: 'text',
  toList: 'text[]',
  cc: 'text[]',
  replyTo: 'text?',
  subject: 'text',
  headers: shaped<Record<string, string> | null>('json?'),
  html: 'text?',
  text: 'text?',
  /** Null: no tracking. */
  tracking: shaped<Tracking | null>('json?'),
  /** The scheduled send time. Null: send at once. */
  scheduledAt: 'timestamptz?',
  /** Null in all four: the message is composed. */
  digest: 'bytea?',
  bodyHash: 'bytea?',
  messageId: 'text?',
  layout: shaped<MessageLayout | null>('json?'),
});
export type ComposedContent = RowOf<typeof COMPOSED_CONTENT>;

/** The message that an application submitted by SMTP. It is sent as it is. */
export interface StoredMessage {
  digest: Buffer;
  bodyHash: Buffer;
  messageId: string;
  layout: MessageLayout;
}

export function hasMessage(content: ComposedContent): content is ComposedContent & StoredMessage {
  return content.digest !== null;
}

/** @throws if an accepted address does not parse, which is a bug */
export function mailboxOf(text: string): MailboxAddress {
  const parsed = parseMailbox(text);
  if ('error' in parsed) throw new Error('an accepted address does not parse');
  return parsed;
}

/** A message that a mailbox has sent, complete except for the signature. */
export const SUBMITTED_CONTENT = columnsOf({
  mailboxId: 'uuid',
  kind: shaped<SubmissionKind>('text'),
  /** The address of the mailbox, or another address from which the mailbox may send. */
  fromAddress: 'text',
  /** Null: reports are sent to the mailbox. Empty: no reports are sent. */
  reversePath: 'text?',
  /** The domain whose keys sign the message, in A-labels. */
  fromDomain: 'text',
  messageId: 'text',
  /** The digest of the message's bytes. */
  digest: 'bytea',
  /** `hashBody` of the message's body. Null if unknown. */
  bodyHash: 'bytea?',
  isUtf8: 'bool',
  envelopeId: 'text?',
  returns: shaped<'full' | 'headers' | null>('text?'),
  /** The delivery reports that the sender requested, by recipient index. Null: no reports. */
  requestedReports: shaped<Readonly<Record<number, Pick<DsnRequest, 'notify' | 'originalRecipient'>>> | null>(
    'json?',
  ),
});
export type SubmittedContent = RowOf<typeof SUBMITTED_CONTENT>;

export function isSubmission(
  email: StoredEmail<ComposedContent | SubmittedContent>,
): email is StoredEmail<SubmittedContent> {
  return 'mailboxId' in email.content;
}
