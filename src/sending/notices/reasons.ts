/** The reasons why a message did not arrive, and what its sender can do, in words for people (docs/mail-apps.md, Delivery reports). */
import type { BounceCategory } from '../../model/bounce.ts';

export interface NoticeReason {
  /** What happened, in one sentence. */
  what: string;
  /** What to do, in one or two sentences. */
  toDo: string;
  /** The enhanced status code for this reason (RFC 3463), used if the server gave none. */
  status: string;
}

/** Reasons for failures that were not caused by a server's rejection. */
type OwnReason = 'no_such_domain' | 'no_route' | 'domain_not_verified' | 'locked' | 'internal' | 'withdrawn';

const SEND_AGAIN = 'Send the message again later.';

export const REASONS = {
  unknown_user: {
    what: 'The mailbox does not exist or is disabled.',
    toDo: 'Check the address for mistakes, or ask the recipient in another way for the right address.',
    status: '5.1.1',
  },
  mailbox_full: {
    what: "The recipient's mailbox is full.",
    toDo: 'Send the message again in a few days, or contact the recipient in another way.',
    status: '5.2.2',
  },
  message_too_large: {
    what: "The message is larger than the recipient's server allows.",
    toDo: 'Send the message without its largest attachments, or with links to the files.',
    status: '5.3.4',
  },
  content: {
    what: "The recipient's server rejected the content of the message: it may look like spam or a virus, or have a type of attachment that is not allowed.",
    toDo: 'Send the message again without attachments and links, and with different wording.',
    status: '5.6.0',
  },
  policy: {
    what: "A rule of the recipient or of the recipient's server does not allow the message.",
    toDo: 'Contact the recipient some other way, and ask them to allow your address. The reply below may name the rule.',
    status: '5.7.1',
  },
  reputation: {
    what: "The recipient's server does not accept mail from the server that sends yours.",
    toDo: 'Show this message to your administrator. The cause may be a blocklist, or too much mail at once.',
    status: '5.7.1',
  },
  auth: {
    what: "The recipient's server could not verify that the message comes from your domain.",
    toDo: 'Show this message to the administrator of your domain: its SPF, DKIM or DMARC records are not correct.',
    status: '5.7.0',
  },
  dns: {
    what: 'The domain of the address does not exist or accepts no mail.',
    toDo: 'Check the part after the @ for mistakes.',
    status: '5.1.2',
  },
  network: {
    what: "The recipient's server could not be reached.",
    toDo: SEND_AGAIN,
    status: '4.4.1',
  },
  expired: {
    what: "The recipient's server did not accept the message within three days of retries.",
    toDo: `${SEND_AGAIN} If it fails again, contact the recipient in another way.`,
    status: '4.4.7',
  },
  suppressed: {
    what: 'A mail service on the route no longer sends to this address, because earlier mail to it failed.',
    toDo: "Show this message to your administrator: the address must be removed from that service's suppression list.",
    status: '5.7.1',
  },
  other: {
    what: "The recipient's server rejected the message and gave no clear reason.",
    toDo: 'Read its reply below. If that does not help, contact the recipient in another way.',
    status: '5.0.0',
  },
  no_such_domain: {
    what: 'The domain of the address does not exist.',
    toDo: 'Check the part after the @ for mistakes.',
    status: '5.1.2',
  },
  no_route: {
    what: 'The domain of the address accepts no mail.',
    toDo: 'Check the part after the @ for mistakes, or ask the recipient in another way for the right address.',
    status: '5.4.4',
  },
  domain_not_verified: {
    what: 'Your own domain is no longer verified, so mail from it cannot be signed.',
    toDo: 'Show this message to the administrator of your domain: its DNS records must be corrected. Then send it again.',
    status: '5.7.1',
  },
  locked: {
    what: 'Your mailbox is locked for sending, because too much of its mail was rejected or reported as spam.',
    toDo: 'If you did not send that mail, change your password. Your administrator can unlock the mailbox. Then send it again.',
    status: '5.7.1',
  },
  internal: {
    what: 'Your mail server failed to process the message.',
    toDo: 'Show this message to your administrator.',
    status: '5.3.0',
  },
  withdrawn: {
    what: 'Your mail server was restored from a backup and did not send the message again, because it may have been sent before.',
    toDo: 'Ask the recipient whether it arrived. If it did not, send it again.',
    status: '5.3.0',
  },
} satisfies Readonly<Record<BounceCategory | OwnReason, NoticeReason>>;

export type ReasonName = keyof typeof REASONS;

export function isReasonName(name: string): name is ReasonName {
  return Object.hasOwn(REASONS, name);
}
