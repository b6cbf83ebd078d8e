import type { Classification } from '../../model/bounce.ts';
import type { DsnAction } from '../../rfc/dsn/delivery-status.ts';
import type { HeaderField } from '../../rfc/mime/index.ts';

/** What a message that came back says. */
export type Report =
  | { kind: 'dsn'; recipients: ReportedRecipient[]; original: OriginalMessage | null }
  | {
      kind: 'complaint';
      /** In lower case: `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `other`... (RFC 5965, section 7.3). */
      feedbackType: string;
      reportingMta: string | null;
      /** The recipients that the report names; operators of feedback loops often leave them out. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | {
      /** A server on the way accepted the message, and then refused to pass it on. */
      kind: 'rejected';
      /** For people. */
      reason: string;
      /** The recipients of the message. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | { kind: 'other'; why: NotAReport };

export type NotAReport = 'auto-reply' | 'challenge' | 'read-receipt' | 'auth-failure-report' | 'not-a-report';

/** What happened to the message for one recipient. */
export interface ReportedRecipient {
  /** Null when the report names none. */
  address: string | null;
  /** Whom the message was sent to, where that server sent it on to `address` (RFC 3464, section 2.3.1). */
  originalAddress?: string;
  action: DsnAction;
  enhancedCode: string | null;
  replyCode: number | null;
  /** The reply of the server, or the words of the report; at most 1000 characters. For `classifyReply`. */
  diagnostic: string;
  remoteMta: string | null;
  reportingMta: string | null;
  /** Set where the report itself says whether the address may work later. Absent: its codes and words decide. */
  bounceType?: Classification['type'];
}

/** What a report contains of the message that it is about. */
export interface OriginalMessage {
  /** With its angle brackets, as the field has it. */
  messageId: string | null;
  /** The envelope sender, without angle brackets. */
  returnPath: string | null;
  /** The addresses of the To field. */
  rcptTo: string[];
  /** What a mailbox has sent, by its id: where the provider was told it. Nothing proves it but a return path of that mailbox. */
  submissionId?: string;
  fields: readonly HeaderField[];
}
