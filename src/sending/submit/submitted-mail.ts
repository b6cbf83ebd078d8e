/** What a mail app hands over, and what is said to it. */

export interface SubmittingMailbox {
  projectId: string;
  mailboxId: string;
}

interface SubmittedRecipient {
  /** Without angle brackets. */
  forwardPath: string;
  /** Bits of `NOTIFY`; null: not given. */
  notify: number | null;
  /** ORCPT as it was given. */
  originalRecipient: string | null;
}

export interface SubmittedMail {
  /** As MAIL gave it, without angle brackets. */
  reversePath: string;
  /** The client asked for SMTPUTF8 (RFC 6531). */
  isUtf8: boolean;
  recipients: readonly SubmittedRecipient[];
  /** ENVID and RET (RFC 3461, sections 4.3 and 4.4). */
  envelopeId: string | null;
  returns: 'full' | 'headers' | null;
  /** As received; its line ends may be anything. Whoever hands it over leaves it alone from then on. */
  raw: Buffer;
  isTls: boolean;
  /** It did not come by SMTP. Default: it did. */
  isFromPage?: boolean;
  /** A copy goes to Sent whatever the mailbox says: no mail app puts one there. Default: no. */
  keepsCopy?: boolean;
}

/** Why mail is not taken. The listener has the reply to each. */
export type SubmitRefusal =
  /** MAIL FROM, From, Sender or a Resent-* names an address of others. */
  | 'senderNotAllowed'
  | 'badAddress'
  /** The domain of the sender is not verified, so that only mailboxes of its project may be written to. */
  | 'domainNotVerified'
  /** For now: the text says when it is free again. */
  | 'dailyLimit'
  | 'planLimit'
  /** It alone has more recipients than the mailbox may write to in a day. */
  | 'overDailyLimit'
  /** A copy for Sent has no room. */
  | 'mailboxFull'
  /** The mailbox may not send until somebody has looked why. */
  | 'locked'
  | 'fileTooLarge'
  /** The message is none, or one that readers would not agree on. */
  | 'badMessage'
  /** It has been on its way for too long. */
  | 'loop'
  | 'tooManyRecipients';

export interface RejectedMail {
  outcome: 'refused';
  refusal: SubmitRefusal;
  /** For people, on one line: what to change, or when to come again. */
  text: string;
}

export type SubmitResult =
  /** `isReplay`: it was sent within a day, by its Message-ID, bytes and recipients, and is not sent again. */
  { outcome: 'accepted'; id: string; isReplay: boolean } | RejectedMail;

export function rejectedMail(refusal: SubmitRefusal, text: string): RejectedMail {
  return { outcome: 'refused', refusal, text };
}
