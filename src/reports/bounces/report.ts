import type { Classification } from '../../model/bounce.ts';
import type { DsnAction } from '../../rfc/dsn/delivery-status.ts';
import type { HeaderField } from '../../rfc/mime/index.ts';

/** The contents of a message that came back. */
export type Report =
  | { kind: 'dsn'; recipients: ReportedRecipient[]; original: OriginalMessage | null }
  | {
      kind: 'complaint';
      /** In lower case: `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `other`... (RFC 5965, section 7.3). */
      feedbackType: string;
      reportingMta: string | null;
      /** The recipients that the report names. Feedback loops often omit them. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | {
      /** A server accepted the message and then refused to pass it on. */
      kind: 'rejected';
      /** Human-readable. */
      reason: string;
      /** The recipients of the message. */
      recipients: string[];
      original: OriginalMessage | null;
    }
  | { kind: 'other'; why: NotAReport };

export type NotAReport = 'auto-reply' | 'challenge' | 'read-receipt' | 'auth-failure-report' | 'not-a-report';

/** What the report says about one recipient. */
export interface ReportedRecipient {
  /** Null if the report names no address. */
  address: string | null;
  /** The address that the message was sent to, if its server forwarded it to `address` (RFC 3464, section 2.3.1). */
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

/** What a report says about the original message. */
export interface OriginalMessage {
  /** The Message-ID as in its field, with angle brackets. */
  messageId: string | null;
  /** The envelope sender, without angle brackets. */
  returnPath: string | null;
  /** The addresses of the To field. */
  rcptTo: string[];
  /**
   * The id of a message that a mailbox sent, if the provider got the id. The id can be forged: only the mailbox's return path
   * proves the mailbox.
   */
  submissionId?: string;
  fields: readonly HeaderField[];
}
