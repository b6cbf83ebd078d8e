import type { Classification } from '../../model/bounce.ts';
import type { DsnAction } from '../../rfc/dsn/delivery-status.ts';
import type { HeaderField } from '../../rfc/mime/index.ts';

/** The contents of a returned message. */
export type Report =
  | { kind: 'dsn'; recipients: ReportedRecipient[]; original: OriginalMessage | null }
  | {
      kind: 'complaint';
      /** The feedback type in lower case: `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `other`... (RFC 5965, section 7.3). */
      feedbackType: string;
      reportingMta: string | null;
      /** The recipients that the report names. Feedback loops often omit them. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | {
      /** A server accepted the message and then refused to pass it on. */
      kind: 'rejected';
      /** The reason in human-readable text. */
      reason: string;
      recipients: string[];
      original: OriginalMessage | null;
    }
  | { kind: 'other'; why: NotAReport };

export type NotAReport = 'auto-reply' | 'challenge' | 'read-receipt' | 'auth-failure-report' | 'not-a-report';

/** A report's statements about one recipient. */
export interface ReportedRecipient {
  /** The address of the recipient. Null if the report names no address. */
  address: string | null;
  /** The address that the message was sent to, if that address's server forwarded the message to `address` (RFC 3464, section 2.3.1). */
  originalAddress?: string;
  action: DsnAction;
  enhancedCode: string | null;
  replyCode: number | null;
  /** The server's reply, or the words of the report; at most 1000 characters. Input for `classifyReply`. */
  diagnostic: string;
  remoteMta: string | null;
  reportingMta: string | null;
  /** Set if the report itself says whether the address may work later. If absent, the codes and words of the report decide. */
  bounceType?: Classification['type'];
}

/** A report's statements about the original message. */
export interface OriginalMessage {
  /** The Message-ID as in its field, with angle brackets. */
  messageId: string | null;
  /** The envelope sender, without angle brackets. */
  returnPath: string | null;
  /** The addresses of the To field. */
  rcptTo: string[];
  /**
   * The ID of the submission, if a mailbox sent the message and the provider's report contains the ID. The ID can be forged: only the
   * return path proves which mailbox sent the message.
   */
  submissionId?: string;
  fields: readonly HeaderField[];
}
