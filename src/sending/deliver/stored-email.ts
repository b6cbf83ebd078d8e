import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { DsnRequest } from '../../rfc/smtp/dsn-parameters.ts';
import type { SubmissionKind } from '../../model/submission-kinds.ts';
import type { Tracking } from '../../model/tracking.ts';

/** What an attempt reads of an email, or of what a mailbox has sent. */
export interface StoredEmail<Content = ComposedContent> {
  projectId: string;
  emailId: string;
  content: Content;
  /** W3C traceparent of the request that sent it; null where nobody traced. */
  traceParent: string | null;
}

/** What the sender gave, from which the message is composed. */
export const COMPOSED_CONTENT = columnsOf({
  sender: 'text',
  toList: 'text[]',
  cc: 'text[]',
  replyTo: 'text?',
  subject: 'text',
  headers: shaped<Record<string, string> | null>('json?'),
  html: 'text?',
  text: 'text?',
  /** Null: nothing is tracked. */
  tracking: shaped<Tracking | null>('json?'),
  /** When it was to be sent; null: at once. */
  scheduledAt: 'timestamptz?',
});
export type ComposedContent = RowOf<typeof COMPOSED_CONTENT>;

/** A message that a mailbox has sent, as it is but for the signature. */
export const SUBMITTED_CONTENT = columnsOf({
  mailboxId: 'uuid',
  kind: shaped<SubmissionKind>('text'),
  /** Of the mailbox, or one that it writes from. */
  fromAddress: 'text',
  /** Null: reports come back to the mailbox. Empty: nobody is told. */
  reversePath: 'text?',
  /** Whose keys sign it, in A-labels. */
  fromDomain: 'text',
  messageId: 'text',
  /** Of its bytes. */
  digest: 'bytea',
  /** `hashBody` of its body; null: not known. */
  bodyHash: 'bytea?',
  isUtf8: 'bool',
  envelopeId: 'text?',
  returns: shaped<'full' | 'headers' | null>('text?'),
  /** What its sender wants to hear, by the number of the recipient; null: nothing. */
  asked: shaped<Readonly<Record<number, Pick<DsnRequest, 'notify' | 'originalRecipient'>>> | null>('json?'),
});
export type SubmittedContent = RowOf<typeof SUBMITTED_CONTENT>;

/** Whether a mailbox has sent it. */
export function isSubmission(
  email: StoredEmail<ComposedContent | SubmittedContent>,
): email is StoredEmail<SubmittedContent> {
  return 'digest' in email.content;
}
