/** Explains why an email did not reach a recipient, and what to do (docs/bounces.md). */
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import type { EventDetail } from '../../../../src/contract/events.ts';
import { isLater } from '../emails/is-later.ts';

export type Recipient = InspectedEmail['recipients'][number];
type Suppression = NonNullable<Recipient['suppression']>;
type BounceCategory = EventDetail<'bounced'>['category'];
type Deferral = NonNullable<Recipient['deferral']>;

/** Where the cause of a failure is. */
const CAUSES = {
  address: 'The address',
  mailbox: "The recipient's mailbox",
  recipient: 'The recipient',
  receiver: "The recipient's server",
  message: 'This message',
  domain: 'Your domain',
  sender: 'The sending server',
  relay: 'The service that relays your mail',
  project: 'This project',
  operator: 'An operator of this installation',
} as const;

interface Explanation {
  /** What happened. A heading, without a period. */
  what: string;
  cause: keyof typeof CAUSES;
  /** What the user can do, in one or two sentences. */
  advice: string;
}

/** The kinds of trouble, as on their badges. */
const KINDS = {
  hard: { name: 'Hard bounce', tone: 'bad' },
  soft: { name: 'Soft bounce', tone: 'bad' },
  complaint: { name: 'Spam complaint', tone: 'bad' },
  failed: { name: 'Failed', tone: 'bad' },
  cancelled: { name: 'Cancelled', tone: 'quiet' },
  retrying: { name: 'Retrying', tone: 'warn' },
  waiting: { name: 'Waiting', tone: 'warn' },
  paused: { name: 'Paused', tone: 'warn' },
} as const;

/** The button that helps, besides the removal of a suppression. */
type Remedy = 'try' | 'retry' | 'domain' | 'destination' | 'send-again';

/** The words of a server, or the details that Posthorn recorded. */
interface Statement {
  name: "Server's reply" | 'Bounce report' | 'Complaint' | 'Details';
  text: string;
  server: string | null;
}

/** What happened to a recipient. */
interface Finding extends Explanation {
  kind: keyof typeof KINDS;
  /** Whether Posthorn retries. Null: the time of the next attempt says so, or the email was delivered. */
  retries: string | null;
  remedy: Remedy | null;
  statement: Statement | null;
  /** Whether this email put the address on the suppression list, possibly removed since. Null if the list does not matter. */
  wasListed: boolean | null;
}

/** A recipient in trouble. */
export type Troubled = Pick<Finding, 'statement' | 'wasListed'> & { recipient: Recipient };

/** What happened to one or several recipients in the same way. */
export interface Trouble extends Pick<Finding, 'what' | 'advice' | 'retries' | 'remedy'> {
  key: string;
  badge: (typeof KINDS)[keyof typeof KINDS];
  cause: string;
  recipients: readonly Troubled[];
}

const READ_REPLY = 'Read the reply of the server. If it does not help, contact the recipient in another way.';

const BOUNCES: Readonly<Record<BounceCategory, Explanation>> = {
  unknown_user: {
    what: 'The mailbox does not exist or is disabled',
    cause: 'address',
    advice: 'Check the address for typos, or ask the recipient for another one.',
  },
  dns: {
    what: 'The domain of the address does not exist or accepts no mail',
    cause: 'address',
    advice: 'Check the part after the @ for typos.',
  },
  mailbox_full: {
    what: 'The mailbox is full',
    cause: 'mailbox',
    advice: 'Send the email again in a few days, or contact the recipient in another way.',
  },
  message_too_large: {
    what: "The message is too large for the recipient's server",
    cause: 'message',
    advice: 'Send a smaller message, with links instead of attachments or embedded images.',
  },
  content: {
    what: "The recipient's server rejects the content",
    cause: 'message',
    advice:
      'It may look like spam, or contain something that the server blocks. Read the reply and the checks of this email, then send a changed message.',
  },
  policy: {
    what: "A rule of the recipient's server rejects the message",
    cause: 'receiver',
    advice: 'The reply may name the rule. Ask the recipient or their administrator to allow your address.',
  },
  reputation: {
    what: "The recipient's server rejects mail from the sending server",
    cause: 'sender',
    advice:
      'Its IP address may be on a blocklist, have no reverse DNS, or send too fast; the reply may say which. An operator of this installation can fix it.',
  },
  auth: {
    what: "The recipient's server could not verify your domain",
    cause: 'domain',
    advice: 'SPF, DKIM or DMARC failed. Check the DNS records of your domain, then send the email again.',
  },
  network: {
    what: "The recipient's server could not be reached",
    cause: 'receiver',
    advice: 'Send the email again later. If it fails again, contact the recipient in another way.',
  },
  expired: {
    what: "The recipient's server did not accept the message within three days",
    cause: 'receiver',
    advice: 'The last reply says why. Send the email again later, or contact the recipient in another way.',
  },
  suppressed: {
    what: 'A service that relays your mail no longer sends to the address',
    cause: 'relay',
    advice: 'Remove the address from the suppression list of that service, then send the email again.',
  },
  other: {
    what: "The recipient's server gave no clear reason",
    cause: 'receiver',
    advice: READ_REPLY,
  },
};

const RETRIES = 'Nothing to do: Posthorn retries for up to three days.';

/** Unlike a rejection, a deferral may be only a request for patience, whatever words the server uses. */
const ASKS_FOR_PATIENCE: Explanation = {
  what: "The recipient's server asked to retry later",
  cause: 'receiver',
  advice: RETRIES,
};

const DEFERRALS: Readonly<Record<Deferral, Explanation>> = {
  unknown_user: { what: 'The mailbox is not available at the moment', cause: 'mailbox', advice: RETRIES },
  dns: {
    what: 'The domain of the address cannot be looked up at the moment',
    cause: 'receiver',
    advice: RETRIES,
  },
  mailbox_full: { ...BOUNCES.mailbox_full, advice: RETRIES },
  message_too_large: BOUNCES.message_too_large,
  content: { ...BOUNCES.content, what: "The recipient's server does not accept the content for now" },
  policy: ASKS_FOR_PATIENCE,
  reputation: {
    what: "The recipient's server limits mail from the sending server",
    cause: 'sender',
    advice: `${RETRIES} If this happens often, an operator should check whether the IP address is on a blocklist or sends too fast.`,
  },
  auth: BOUNCES.auth,
  network: {
    what: "The recipient's server cannot be reached at the moment",
    cause: 'receiver',
    advice: RETRIES,
  },
  expired: ASKS_FOR_PATIENCE,
  suppressed: BOUNCES.suppressed,
  other: ASKS_FOR_PATIENCE,
  greylisting: {
    what: "The recipient's server defers mail from senders that it does not know yet",
    cause: 'receiver',
    advice: 'Nothing to do: this is called greylisting, and the next attempt usually succeeds.',
  },
};

const CHECK_DOMAIN = 'Check the part after the @ for typos.';

/** The reasons of `failed` events, except `suppressed`. */
const FAILURES: Readonly<Record<string, Explanation>> = {
  rejected: {
    what: 'The service that relays your mail rejected the message',
    cause: 'relay',
    advice: 'Its reply says why: it may be the recipient, the message, or your account at that service.',
  },
  no_such_domain: {
    what: 'The domain of the address does not exist',
    cause: 'address',
    advice: CHECK_DOMAIN,
  },
  no_route: { what: 'The domain of the address accepts no mail', cause: 'address', advice: CHECK_DOMAIN },
  domain_not_verified: {
    what: 'Your domain was not verified when the email was due',
    cause: 'domain',
    advice: 'Publish the missing DNS records. When the domain is verified, send the email again.',
  },
  cancelled: {
    what: 'The email was cancelled before it was sent',
    cause: 'project',
    advice: 'Send it again if it is still needed.',
  },
  withdrawn: {
    what: 'An operator withdrew the email',
    cause: 'operator',
    advice: 'Send it again if it is still needed.',
  },
  internal: {
    what: 'Posthorn could not process the email',
    cause: 'sender',
    advice: 'Its processes stopped several times while they sent it. An operator can read why in the log.',
  },
};

/** The details of these reasons say no more than their explanations. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'suppressed',
  'domain_not_verified',
  'cancelled',
  'internal',
]);

const NO_MORE =
  'Complaints hurt the reputation of all your mail, so send again only if the recipient asks you to.';

const SUPPRESSED: Readonly<Record<Suppression['reason'], string>> = {
  bounce:
    'Earlier mail to the address bounced. If the mailbox exists now, remove the address from the list, then send the email again.',
  complaint: `The recipient reported an earlier email as spam. ${NO_MORE}`,
  unsubscribe: 'The recipient unsubscribed. Send again only if the recipient asks you to.',
  manual:
    'A user or one of your applications added the address. If that was a mistake, remove it from the list, then send the email again.',
};

const COMPLAINTS: Readonly<Record<string, string>> = {
  fraud: 'The recipient reported the email as fraud',
  virus: 'The recipient reported the email as malware',
  'opt-out': 'The recipient asked their provider for no more of your mail',
};

/** The recipients that the email has not reached or that reported it, grouped by what happened. */
export function troublesOf(email: InspectedEmail): Trouble[] {
  const troubles = new Map<string, Trouble>();
  for (const recipient of email.recipients) {
    const finding = recipient.is_done ? findingAtEnd(email, recipient) : findingInQueue(email, recipient);
    if (finding === null) continue;
    const { kind, statement, wasListed, cause, ...shared } = finding;
    const key = JSON.stringify([kind, shared]);
    const earlier = troubles.get(key)?.recipients ?? [];
    troubles.set(key, {
      ...shared,
      key,
      badge: KINDS[kind],
      cause: CAUSES[cause],
      recipients: [...earlier, { recipient, statement, wasListed }],
    });
  }
  return [...troubles.values()];
}

function findingInQueue(email: InspectedEmail, recipient: Recipient): Finding | null {
  const { waits_for: destination, deferral } = recipient;
  // The timeline explains mail for another provider. Scheduled mail is not in trouble yet.
  if (recipient.other_provider !== null || isLater(email)) return null;
  const reply = lastOf(email, recipient, 'deferred')?.detail;
  const waiting = {
    retries: null,
    wasListed: null,
    statement: reply === undefined ? null : statement("Server's reply", reply.response, reply.remote_mta),
  };
  if (recipient.is_paused)
    return {
      ...waiting,
      kind: 'paused',
      what: `Mail to ${destinationOf(recipient)} is paused`,
      cause: 'operator',
      advice:
        'An operator can resume the destination. Until then the email stays queued and does not bounce.',
      remedy: 'destination',
    };
  if (destination !== null) {
    const [domain = '', sender] = destination.split(' from ');
    return {
      ...waiting,
      kind: 'waiting',
      what:
        sender === undefined
          ? `${domain} accepts no mail at the moment`
          : `${domain} rejects mail from ${sender} at the moment`,
      cause: 'receiver',
      advice:
        'Nothing to do: Posthorn tries the destination with one message from time to time, and sends all waiting mail as soon as it is accepted.',
      remedy: 'destination',
    };
  }
  if (deferral === null) return null;
  const remedy = deferral === 'auth' ? 'domain' : 'try';
  return { ...waiting, ...DEFERRALS[deferral], kind: 'retrying', remedy };
}

/** The domain of the recipient's mail, which an operator may have paused. */
export function destinationOf({ address, waits_for: destination }: Recipient): string {
  return destination?.split(' ')[0] ?? address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function findingAtEnd(email: InspectedEmail, recipient: Recipient): Finding | null {
  switch (recipient.status) {
    case 'complained':
      return complained(lastOf(email, recipient, 'complained')?.detail);
    case 'bounced':
      return bounced(lastOf(email, recipient, 'bounced')?.detail, recipient);
    case 'failed':
      return failed(email, recipient);
    case 'sent':
    case 'delivered':
      return delayedElsewhere(lastOf(email, recipient, 'deferred')?.detail);
    default:
      return null;
  }
}

function complained(detail: EventDetail<'complained'> | undefined): Finding | null {
  if (detail === undefined) return null;
  return {
    kind: 'complaint',
    what: COMPLAINTS[detail.feedback_type ?? ''] ?? 'The recipient reported the email as spam',
    cause: 'recipient',
    advice: NO_MORE,
    retries: null,
    remedy: null,
    statement: statement('Complaint', detail.feedback_type, detail.reporting_mta),
    // The event does not say whether it caused an entry.
    wasListed: false,
  };
}

function bounced(detail: EventDetail<'bounced'> | undefined, { suppression }: Recipient): Finding | null {
  if (detail === undefined) return null;
  const { type, category, suppressed } = detail;
  const remedy = category === 'auth' ? 'domain' : suppressed && suppression === null ? 'send-again' : null;
  return {
    ...BOUNCES[category],
    kind: type,
    retries:
      type === 'hard'
        ? 'None. Later emails to the address would bounce, too.'
        : 'No more for this email. A later email may be delivered.',
    remedy,
    statement: statement(
      detail.source === 'dsn' ? 'Bounce report' : "Server's reply",
      detail.diagnostic,
      detail.remote_mta,
    ),
    wasListed: suppressed || (type === 'hard' ? false : null),
  };
}

function failed(email: InspectedEmail, recipient: Recipient): Finding | null {
  const event = lastOf(email, recipient, 'failed');
  if (event === undefined || wasRetried(email, recipient, event)) return null;
  const { reason, detail, remote_mta: server = null } = event.detail;
  const shared = {
    kind: reason === 'cancelled' ? 'cancelled' : 'failed',
    retries: 'No more for this email.',
    remedy: null,
    statement: EXPLAINED.has(reason)
      ? null
      : statement(server === null ? 'Details' : "Server's reply", detail, server),
    wasListed: null,
  } as const;
  if (reason === 'suppressed') return { ...shared, ...suppressed(recipient) };
  const explanation = FAILURES[reason] ?? {
    what: `Sending failed: ${reason.replaceAll('_', ' ')}`,
    cause: 'sender',
    advice: 'Read the details. If they do not help, ask an operator of this installation.',
  };
  if (recipient.can_retry)
    return {
      ...shared,
      ...explanation,
      advice: 'Retry the email. If it fails again, ask an operator to read the log.',
      retries: 'None, unless you retry the email.',
      remedy: 'retry',
    };
  return { ...shared, ...explanation, remedy: reason === 'domain_not_verified' ? 'domain' : null };
}

function suppressed({ suppression }: Recipient): Pick<Finding, 'what' | 'cause' | 'advice' | 'remedy'> {
  if (suppression === null)
    return {
      what: 'The address was on the suppression list',
      cause: 'project',
      advice: 'It is no longer on the list. Send the email again if it is still needed.',
      remedy: 'send-again',
    };
  return {
    what: 'The address is on the suppression list',
    cause:
      suppression.reason === 'manual' ? 'project' : suppression.reason === 'bounce' ? 'address' : 'recipient',
    advice: SUPPRESSED[suppression.reason],
    remedy: null,
  };
}

/**
 * Whether the email was sent to the recipient after a failure with the reason `internal`, whose status stays `failed`. A relay reports
 * only that it took the email, not for which recipients.
 */
function wasRetried(email: InspectedEmail, recipient: Recipient, failure: EventOf<'failed'>): boolean {
  if (recipient.can_retry || failure.detail.reason !== 'internal') return false;
  const later = email.events.slice(email.events.findIndex(({ event }) => event === failure) + 1);
  return later.some(
    ({ event }) =>
      event.type === 'sent' || (event.type === 'delivered' && event.recipient === recipient.address),
  );
}

function delayedElsewhere(detail: EventDetail<'deferred'> | undefined): Finding | null {
  if (detail?.source !== 'dsn') return null;
  return {
    kind: 'retrying',
    what: 'Another server reported a delay',
    cause: 'receiver',
    advice: 'Nothing to do: that server reports to Posthorn if it gives up. It does not report success.',
    retries: 'The other server retries.',
    remedy: null,
    statement: statement('Bounce report', detail.response, detail.remote_mta),
    wasListed: null,
  };
}

type Event = InspectedEmail['events'][number]['event'];
type EventOf<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** The last event of a type that concerns the recipient. */
function lastOf<Type extends Event['type']>(
  email: InspectedEmail,
  { address }: Recipient,
  type: Type,
): EventOf<Type> | undefined {
  return email.events.findLast(
    (each): each is typeof each & { event: EventOf<Type> } =>
      each.event.type === type && (each.event.recipient ?? address) === address,
  )?.event;
}

function statement(name: Statement['name'], text: string | null, server: string | null): Statement | null {
  return text === null || text === '' ? null : { name, text, server };
}
