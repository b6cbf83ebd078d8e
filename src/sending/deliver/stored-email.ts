import type { Tracking } from '../../model/tracking.ts';

/** What an attempt reads of an email. */
export interface StoredEmail {
  projectId: string;
  emailId: string;
  content: ComposedContent;
  /** W3C traceparent of the request that sent it; null where nobody traced. */
  traceParent: string | null;
}

/**
 * What the sender gave, from which the message is composed.
 *
 * All that is sent today is of this kind. Mail that a mailbox submits will come as bytes instead: `content` is then a
 * union of the two, and `composerOf` (compose-email.ts), the only reader, has one branch more. Whether an email emits
 * events will be a column of `emails`, which the statement of `recordingEvents` reads in the row that it locks anyway.
 */
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
}
