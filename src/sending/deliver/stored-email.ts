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
export interface ComposedContent {
  sender: string;
  toList: string[];
  cc: string[];
  replyTo: string | null;
  subject: string;
  headers: Record<string, string> | null;
  html: string | null;
  text: string | null;
  /** Null: nothing is tracked. */
  tracking: Tracking | null;
  /** When it was to be sent; null: at once. */
  scheduledAt: Date | null;
}

/** A message that a mailbox has sent, as it is but for the signature. */
export interface SubmittedContent {
  mailboxId: string;
  kind: SubmissionKind;
  /** Of the mailbox, or one that it writes from. */
  fromAddress: string;
  /** Null: reports come back to the mailbox. Empty: nobody is told. */
  reversePath: string | null;
  /** Whose keys sign it, in A-labels. */
  fromDomain: string;
  messageId: string;
  /** Of its bytes. */
  digest: Buffer;
  /** `hashBody` of its body; null: not known. */
  bodyHash: Buffer | null;
  isUtf8: boolean;
  envelopeId: string | null;
  returns: 'full' | 'headers' | null;
  /** What its sender wants to hear, by the number of the recipient; null: nothing. */
  asked: Readonly<Record<number, Pick<DsnRequest, 'notify' | 'originalRecipient'>>> | null;
}

/** Whether a mailbox has sent it. */
export function isSubmission(
  email: StoredEmail<ComposedContent | SubmittedContent>,
): email is StoredEmail<SubmittedContent> {
  return 'digest' in email.content;
}
