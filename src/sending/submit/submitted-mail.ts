/** Mail that a mail app submits, and the replies to it. */

export interface SubmittingMailbox {
  projectId: string;
  mailboxId: string;
}

interface SubmittedRecipient {
  /** The forward-path without angle brackets. */
  forwardPath: string;
  /** Bits of `NOTIFY`. Null if the client sent no NOTIFY parameter. */
  notify: number | null;
  /** The ORCPT parameter as the client sent it. */
  originalRecipient: string | null;
}

export interface SubmittedMail {
  /** The reverse-path of MAIL, without angle brackets. */
  reversePath: string;
  /** Whether the client requested SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  recipients: readonly SubmittedRecipient[];
  /** The parameters ENVID (`envelopeId`) and RET (`returns`) of RFC 3461, sections 4.3 and 4.4. */
  envelopeId: string | null;
  returns: 'full' | 'headers' | null;
  /** The message as received, with any line ends. The caller must not change the buffer afterwards. */
  raw: Buffer;
  isTls: boolean;
  /** Whether the mail was sent from the web client instead of by SMTP. */
  isFromPage?: boolean;
  /** Whether a copy is stored in Sent regardless of the mailbox's setting, because no mail app stores one. Default: false. */
  keepsCopy?: boolean;
}

/** The reason why mail is rejected. The SMTP server has a reply for each reason. */
export type SubmitRefusal =
  /** MAIL FROM, From, Sender or a Resent-* field has an address that does not belong to the mailbox. */
  | 'senderNotAllowed'
  | 'badAddress'
  /** The domain receives its mail here, and has no such address. */
  | 'unknownRecipient'
  /** The sender's domain is not verified, so the mailbox may only write to mailboxes of its project. */
  | 'domainNotVerified'
  /** Temporary. The text says when the message can be sent. */
  | 'dailyLimit'
  | 'planLimit'
  /** This message alone has more recipients than the mailbox may write to in a day. */
  | 'overDailyLimit'
  /** There is no space for the copy in Sent. */
  | 'mailboxFull'
  /** The mailbox is locked for sending until an operator unlocks it. */
  | 'locked'
  | 'fileTooLarge'
  /** The message is malformed, or parsers would disagree about its meaning. */
  | 'badMessage'
  /** The message has passed through too many servers. */
  | 'loop'
  | 'tooManyRecipients';

export interface RejectedMail {
  outcome: 'refused';
  refusal: SubmitRefusal;
  /** A text for people, on one line: what to change, or when to retry. */
  text: string;
}

export type SubmitResult =
  /**
   * `isReplay`: a message with the same Message-ID, bytes and recipients was sent within the last day, so this message is not sent again.
   */
  { outcome: 'accepted'; id: string; isReplay: boolean } | RejectedMail;

export function rejectedMail(refusal: SubmitRefusal, text: string): RejectedMail {
  return { outcome: 'refused', refusal, text };
}
