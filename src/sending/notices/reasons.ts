/** Why a message did not arrive, and what its sender can do, in words for people (docs/mail-apps.md, Delivery reports). */
import type { BounceCategory } from '../../model/bounce.ts';

export interface NoticeReason {
  /** What happened, in one sentence. */
  what: string;
  /** What to do, in one or two sentences. */
  toDo: string;
  /** The enhanced status code for this reason, if the server gave none (RFC 3463). */
  status: string;
}

/** Reasons of failures without a server's rejection. */
type OwnReason = 'no_such_domain' | 'no_route' | 'domain_not_verified' | 'locked' | 'internal' | 'withdrawn';

const SEND_AGAIN = 'Send it again later.';

export const REASONS = {
  unknown_user: {
    what: 'The mailbox does not exist, or is switched off.',
    toDo: 'Look for a mistake in the address. Ask the recipient in another way for the right one.',
    status: '5.1.1',
  },
  mailbox_full: {
    what: 'The mailbox of the recipient is full.',
    toDo: 'Send it again in some days, or tell the recipient in another way.',
    status: '5.2.2',
  },
  message_too_large: {
    what: 'The message is larger than the server of the recipient takes.',
    toDo: 'Send it without its largest attachments, or with a link to them.',
    status: '5.3.4',
  },
  content: {
    what: 'The server of the recipient did not like what the message holds: it may look like spam or a virus, or have a kind of attachment that is not taken.',
    toDo: 'Send it again without attachments and links, in other words.',
    status: '5.6.0',
  },
  policy: {
    what: 'A rule of the recipient, or of the server of the recipient, is against the message.',
    toDo: 'Ask the recipient in another way to let your address in. The words of the server may say which rule it is.',
    status: '5.7.1',
  },
  reputation: {
    what: 'The server of the recipient takes no mail from the server that sends yours.',
    toDo: 'Show this message to whoever runs your mail: a blocklist, or too much mail at once, may be behind it.',
    status: '5.7.1',
  },
  auth: {
    what: 'The server of the recipient could not check that the message comes from your domain.',
    toDo: 'Show this message to whoever runs your domain: its records for SPF, DKIM or DMARC are not right.',
    status: '5.7.0',
  },
  dns: {
    what: 'The domain of the address does not exist, or takes no mail.',
    toDo: 'Look for a mistake in what stands behind the @.',
    status: '5.1.2',
  },
  network: {
    what: 'The server of the recipient could not be reached.',
    toDo: SEND_AGAIN,
    status: '4.4.1',
  },
  expired: {
    what: 'The server of the recipient did not take the message, though it was tried for three days.',
    toDo: `${SEND_AGAIN} If it fails again, ask the recipient in another way.`,
    status: '4.4.7',
  },
  suppressed: {
    what: 'A service on the way sends nothing to this address, because mail to it failed before.',
    toDo: 'Show this message to whoever runs your mail: the address must be taken from a list there.',
    status: '5.7.1',
  },
  other: {
    what: 'The server of the recipient refused the message, and did not say clearly why.',
    toDo: 'Read what it said. If that does not help, ask the recipient in another way.',
    status: '5.0.0',
  },
  no_such_domain: {
    what: 'The domain of the address does not exist.',
    toDo: 'Look for a mistake in what stands behind the @.',
    status: '5.1.2',
  },
  no_route: {
    what: 'The domain of the address takes no mail.',
    toDo: 'Look for a mistake in what stands behind the @, or ask the recipient in another way for the right address.',
    status: '5.4.4',
  },
  domain_not_verified: {
    what: 'Your own domain is not verified any more, so mail from it cannot be signed.',
    toDo: 'Show this message to whoever runs your domain: its DNS records have to be put right. Then send it again.',
    status: '5.7.1',
  },
  locked: {
    what: 'Your mailbox is locked for sending, because too much of what it sent was refused or reported as spam.',
    toDo: 'If you did not send it, change your password. Whoever runs your mail can unlock the mailbox. Then send it again.',
    status: '5.7.1',
  },
  internal: {
    what: 'The mail server that should have sent the message failed on it.',
    toDo: 'Show this message to whoever runs your mail.',
    status: '5.3.0',
  },
  withdrawn: {
    what: 'The mail server was restored from a backup, and did not send again what may have gone out before.',
    toDo: 'Ask the recipient whether it arrived. If it did not, send it again.',
    status: '5.3.0',
  },
} satisfies Readonly<Record<BounceCategory | OwnReason, NoticeReason>>;

export type ReasonName = keyof typeof REASONS;

export function isReasonName(name: string): name is ReasonName {
  return Object.hasOwn(REASONS, name);
}
