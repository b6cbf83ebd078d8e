import type { Classification } from '../../model/bounce.ts';
import type { DsnAction } from '../../rfc/dsn/index.ts';
import type { HeaderField } from '../../rfc/mime/index.ts';

/** What a message that came back tells. */
export type Report =
  | { kind: 'dsn'; recipients: ReportedRecipient[]; original: OriginalMessage | null }
  | {
      kind: 'complaint';
      /** In lower case: `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `other`... (RFC 5965, section 7.3). */
      feedbackType: string;
      reportingMta: string | null;
      /** Whom the report names; operators of feedback loops often leave it out. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | {
      /** Somebody on the way took the message, and then found that it would not pass it on. */
      kind: 'rejected';
      /** For people. */
      reason: string;
      /** Whom the message was for. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | { kind: 'other'; why: NotAReport };

export type NotAReport = 'auto-reply' | 'challenge' | 'read-receipt' | 'auth-failure-report' | 'not-a-report';

/** What became of the message for one recipient. */
export interface ReportedRecipient {
  /** Null when the report names none. */
  address: string | null;
  action: DsnAction;
  enhancedCode: string | null;
  replyCode: number | null;
  /** The reply of the server, or the words of the report; at most 1000 characters. For `classifyReply`. */
  diagnostic: string;
  remoteMta: string | null;
  reportingMta: string | null;
  /** Where the report itself says whether the address may work later. Absent: its codes and words tell. */
  bounceType?: Classification['type'];
}

/** What a report has of the message that it is about. */
export interface OriginalMessage {
  /** With its angle brackets, as the field has it. */
  messageId: string | null;
  /** The envelope sender, without angle brackets. */
  returnPath: string | null;
  /** The addresses of the To field. */
  rcptTo: string[];
  fields: readonly HeaderField[];
}
