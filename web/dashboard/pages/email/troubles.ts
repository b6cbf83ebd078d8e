/** Explains why an email did not reach a recipient, and what to do (docs/bounces.md). */
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';
import type { EventDetail } from '../../../../src/contract/events.ts';
import { isLater } from '../emails/is-later.ts';

export type Recipient = InspectedEmail['recipients'][number];
type Suppression = NonNullable<Recipient['suppression']>;
type Deferral = NonNullable<Recipient['deferral']>;
type BounceCategory = EventDetail<'bounced'>['category'];

/** Where the cause of a failure is. */
const CAUSES = {
  address: 'The address',
  mailbox: "The recipient's mailbox",
  recipient: 'The recipient',
  receiver: "The recipient's server",
  connection: 'The connection, or the DNS records that it needs',
  destination: "The recipient's server, or the connection to it",
  route: 'The domain of the address',
  message: 'This message',
  domain: 'Your domain',
  sender: 'The sending server',
  relay: 'The service that relays your mail',
  sandbox: 'The sandbox',
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
  remedies: readonly Remedy[];
  statement: Statement | null;
  /** Whether this email put the address on the suppression list, possibly removed since. Null if the list does not matter. */
  wasListed: boolean | null;
}

/** A recipient in trouble. */
export type Troubled = Pick<Finding, 'statement' | 'wasListed'> & { recipient: Recipient };

/** What happened to one or several recipients in the same way. */
export interface Trouble extends Pick<Finding, 'what' | 'advice' | 'retries' | 'remedies'> {
  key: string;
  badge: (typeof KINDS)[keyof typeof KINDS];
  cause: string;
  recipients: readonly Troubled[];
}

const READ_REPLY = 'Read the reply of the server. If it does not help, contact the recipient in another way.';

const SEND_LATER = 'Send the email again later, or contact the recipient in another way.';

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
    what: 'A connection, DNS records or a mail loop stopped the message',
    cause: 'connection',
    advice:
      'The reply or report may say which. Send the email again later. If it fails again, contact the recipient in another way.',
  },
  expired: {
    what: 'A server gave up after several attempts to deliver the message',
    cause: 'receiver',
    advice: `The report may say why. ${SEND_LATER}`,
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

const MAY_HAVE_IT =
  'An attempt ended before the server confirmed the message, so the recipient may have received it. Ask before the email is sent again.';

/** The explanation of an end that says nothing about an earlier attempt, which may have delivered the message. */
function unlessDelivered(explanation: Explanation, { is_in_doubt: isInDoubt }: Recipient): Explanation {
  return isInDoubt ? { ...explanation, advice: `${explanation.advice} ${MAY_HAVE_IT}` } : explanation;
}

/** The explanation if Posthorn itself gave up. */
function expired(
  { smtp_code: code }: EventDetail<'bounced'>,
  { was_relayed: wasRelayed, is_in_doubt: isInDoubt }: Recipient,
): Explanation {
  if (isInDoubt)
    return {
      what: 'It is unknown whether an attempt within the three days delivered the message',
      cause: 'connection',
      advice: MAY_HAVE_IT,
    };
  const advice = `The last reply or error says why. ${SEND_LATER}`;
  return wasRelayed
    ? {
        what: 'The service that relays your mail did not take the message within three days',
        cause: 'relay',
        advice,
      }
    : {
        what: 'The message could not be delivered within three days',
        cause: code === null ? 'connection' : 'receiver',
        advice,
      };
}

const RETRIES = 'Posthorn retries for up to three days.';
const NOTHING_TO_DO = `Nothing to do: ${RETRIES}`;
/** A changed email besides the one in the queue would reach the recipient twice. */
const CANCEL_FIRST =
  'If you want to change the email, cancel this one first. Otherwise the recipient may get both.';

/** Unlike a rejection, a deferral may be only a request for patience, whatever words the server uses. */
const ASKS_FOR_PATIENCE: Explanation = {
  what: "The recipient's server asked to retry later",
  cause: 'receiver',
  advice: NOTHING_TO_DO,
};

const DEFERRALS: Readonly<Record<Deferral, Explanation>> = {
  unknown_user: {
    what: 'The mailbox is not available at the moment',
    cause: 'mailbox',
    advice: NOTHING_TO_DO,
  },
  dns: {
    what: "The recipient's server cannot find a domain at the moment",
    cause: 'receiver',
    advice: `The reply may say which domain. ${RETRIES}`,
  },
  mailbox_full: { ...BOUNCES.mailbox_full, advice: NOTHING_TO_DO },
  message_too_large: {
    what: "The message is too large for the recipient's server at the moment",
    cause: 'message',
    advice: `${RETRIES} ${CANCEL_FIRST}`,
  },
  content: {
    what: "The recipient's server does not accept the content for now",
    cause: 'message',
    advice: `The reply and the checks of this email may say why. ${RETRIES} ${CANCEL_FIRST}`,
  },
  policy: ASKS_FOR_PATIENCE,
  reputation: {
    what: "The recipient's server limits mail from this installation",
    cause: 'sender',
    advice: `${NOTHING_TO_DO} If this happens often, an operator should check whether the IP address is on a blocklist, or mails this server too fast.`,
  },
  auth: {
    what: "The recipient's server could not verify your domain",
    cause: 'domain',
    advice: `SPF, DKIM or DMARC failed. Check the DNS records of your domain. ${RETRIES}`,
  },
  suppressed: {
    what: 'A server in between has the address on a suppression list',
    cause: 'relay',
    advice: `The reply may say which service has the list. Remove the address there. ${RETRIES}`,
  },
  other: ASKS_FOR_PATIENCE,
  greylisting: {
    what: "The recipient's server defers mail from servers that it does not know yet",
    cause: 'receiver',
    advice: 'Nothing to do: this is called greylisting, and the next attempt usually succeeds.',
  },
  no_answer: {
    what: 'The last attempt ended without a reply to the message',
    cause: 'connection',
    advice: `The details say what happened. ${RETRIES}`,
  },
};

/** The explanations if the attempt was made at a server in transit, whose replies are not about the recipient's server. */
const RELAY_ASKS_FOR_PATIENCE: Explanation = {
  what: 'The service that relays your mail did not take the message at the last attempt',
  cause: 'relay',
  advice: `The reply or the details may say why. ${RETRIES} If this happens often, ask an operator of this installation.`,
};

const IN_DOUBT: Explanation = {
  what: 'It is unknown whether an attempt delivered the message',
  cause: 'connection',
  advice:
    'The attempt ended before the server confirmed the message. Posthorn retries, so the recipient may get the email twice. If the recipient has it, cancel this email to stop the retries.',
};

/** The explanation if the email was cancelled after an attempt of which it is unknown whether it delivered the message. */
const CANCELLED_IN_DOUBT: Explanation = {
  what: 'The retries were cancelled; the recipient may have the email',
  cause: 'project',
  advice: 'An attempt ended before the server confirmed the message. Ask the recipient whether it arrived.',
};

function explainDeferral(deferral: Deferral, recipient: Recipient): Explanation {
  if (recipient.is_in_doubt)
    return deferral === 'no_answer'
      ? IN_DOUBT
      : { ...IN_DOUBT, advice: `${IN_DOUBT.advice} The reply is that of the last attempt.` };
  return recipient.was_relayed ? RELAY_ASKS_FOR_PATIENCE : DEFERRALS[deferral];
}

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
  no_route: {
    what: 'No server was found that accepts mail for the domain of the address',
    cause: 'route',
    advice: `${CHECK_DOMAIN} If it is correct, the details say what is wrong with the domain.`,
  },
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
    advice: 'Processing failed several times. An operator can read why in the log.',
  },
};

/** The server that the sandbox names in its outcomes (`src/sending/deliver/sandbox.ts`). */
const SANDBOX = 'sandbox.invalid';

/** The explanation if the sandbox rejected the message. The other simulated outcomes are explained like real ones. */
const SANDBOX_FAILED: Explanation = {
  what: 'The sandbox simulated a failure',
  cause: 'sandbox',
  advice: 'Nothing to do: addresses that start with failed@ or failed+ always fail in the sandbox.',
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

/**
 * The recipients that the email has not reached or that reported it, grouped by what happened. Erased recipients are left out, because
 * their events cannot be told apart.
 */
export function troublesOf(email: InspectedEmail, nowMs = Date.now()): Trouble[] {
  const troubles = new Map<string, Trouble>();
  for (const recipient of email.recipients) {
    if (recipient.is_erased) continue;
    const finding = recipient.is_done
      ? findingAtEnd(email, recipient, nowMs)
      : findingInQueue(email, recipient);
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
    statement: reply === undefined ? null : statement(replyName(reply), reply.response, reply.remote_mta),
  };
  if (email.sending_stopped !== null)
    return { ...waiting, ...STOPPED[email.sending_stopped], kind: 'paused', cause: 'operator', remedies: [] };
  if (recipient.is_paused)
    return {
      ...waiting,
      kind: 'paused',
      what: `Mail to ${destinationOf(recipient)} is paused`,
      cause: 'operator',
      advice:
        'An operator can resume the destination. Until then the email stays queued and does not bounce.',
      remedies: ['destination'],
    };
  if (destination !== null) {
    const [domain = '', sender] = destination.split(' from ');
    return {
      ...waiting,
      kind: 'waiting',
      ...(sender === undefined
        ? unavailable(domain, reply)
        : { what: `${domain} rejects mail from ${sender} at the moment`, cause: 'receiver' }),
      advice:
        'Nothing to do: Posthorn tries the destination with one message from time to time, and delivers all waiting mail as soon as it is accepted.',
      remedies: ['destination'],
    };
  }
  if (deferral === null) return null;
  const explanation = explainDeferral(deferral, recipient);
  const remedies: Remedy[] = explanation.cause === 'domain' ? ['try', 'domain'] : ['try'];
  return { ...waiting, ...explanation, kind: 'retrying', remedies };
}

/** @param reply the last reply, undefined if the recipient was not tried because the destination accepted no mail */
function unavailable(
  domain: string,
  reply: EventDetail<'deferred'> | undefined,
): Pick<Explanation, 'what' | 'cause'> {
  return reply?.smtp_code === null
    ? { what: `${domain} cannot be reached at the moment`, cause: 'connection' }
    : {
        what: `${domain} accepts no mail at the moment`,
        cause: reply === undefined ? 'destination' : 'receiver',
      };
}

/** Why no mail is sent at all. */
const STOPPED: Readonly<
  Record<NonNullable<InspectedEmail['sending_stopped']>, Pick<Explanation, 'what' | 'advice'>>
> = {
  paused: {
    what: 'Sending is paused for all mail of this installation',
    advice: 'An operator can resume sending. Until then the email stays queued and does not bounce.',
  },
  no_provider: {
    what: 'This installation cannot send mail at the moment',
    advice:
      'No process has a provider that may send this mail. An operator can change this. Until then the email stays queued.',
  },
};

/** The domain of the recipient's mail, which an operator may have paused. */
export function destinationOf({ address, waits_for: destination }: Recipient): string {
  return destination?.split(' ')[0] ?? address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}

function findingAtEnd(email: InspectedEmail, recipient: Recipient, nowMs: number): Finding | null {
  switch (recipient.status) {
    case 'complained':
      return complained(lastOf(email, recipient, 'complained')?.detail);
    case 'bounced':
      return bounced(lastOf(email, recipient, 'bounced')?.detail, recipient);
    case 'failed':
      return failed(email, recipient);
    case 'sent':
    case 'delivered':
      return delayedElsewhere(email, recipient, nowMs);
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
    remedies: [],
    statement: statement('Complaint', detail.feedback_type, detail.reporting_mta),
    // The event does not say whether it caused an entry.
    wasListed: false,
  };
}

function bounced(detail: EventDetail<'bounced'> | undefined, recipient: Recipient): Finding | null {
  if (detail === undefined) return null;
  const { type, category, suppressed, source } = detail;
  const isListed = recipient.suppression !== null;
  const explanation =
    category === 'expired' && source === 'smtp'
      ? expired(detail, recipient)
      : type === 'soft'
        ? unlessDelivered(BOUNCES[category], recipient)
        : BOUNCES[category];
  return {
    ...explanation,
    kind: type,
    retries: retriesAfter(detail, isListed),
    remedies: category === 'auth' ? ['domain'] : suppressed && !isListed ? ['send-again'] : [],
    statement: statement(
      source === 'dsn' ? 'Bounce report' : replyName(detail),
      detail.diagnostic,
      detail.remote_mta,
    ),
    wasListed: suppressed || (type === 'hard' ? false : null),
  };
}

/** What to expect of later emails. The type alone does not say it: Amazon SES reports full mailboxes as permanent, too. */
function retriesAfter({ type, category }: EventDetail<'bounced'>, isListed: boolean): string {
  if (isListed) return 'None. Later emails to the address are not sent while it is on the suppression list.';
  const isDead = type === 'hard' && (category === 'unknown_user' || category === 'dns');
  return isDead
    ? 'None. Later emails to the address would bounce, too.'
    : 'No more for this email. A later email may be delivered.';
}

function failed(email: InspectedEmail, recipient: Recipient): Finding | null {
  const event = lastOf(email, recipient, 'failed');
  // A recipient whose retry succeeded keeps the status `failed`.
  if (event === undefined || (event.detail.reason === 'internal' && !recipient.is_abandoned)) return null;
  const { reason, detail, remote_mta: server = null } = event.detail;
  const shared = {
    kind: reason === 'cancelled' ? 'cancelled' : 'failed',
    retries: 'No more for this email.',
    remedies: [],
    statement: EXPLAINED.has(reason) ? null : statement(replyName(event.detail), detail, server),
    wasListed: null,
  } as const;
  if (reason === 'suppressed') return { ...shared, ...suppressed(recipient) };
  if (reason === 'cancelled' && recipient.is_in_doubt) return { ...shared, ...CANCELLED_IN_DOUBT };
  if (server === SANDBOX) return { ...shared, ...SANDBOX_FAILED };
  const explanation: Explanation = FAILURES[reason] ?? {
    what: `Sending failed: ${reason.replaceAll('_', ' ')}`,
    cause: 'sender',
    advice: 'Read the details. If they do not help, ask an operator of this installation.',
  };
  if (recipient.can_retry)
    return {
      ...shared,
      ...unlessDelivered(
        { ...explanation, advice: 'Retry the email. If it fails again, ask an operator to read the log.' },
        recipient,
      ),
      retries: 'None, unless you retry the email.',
      remedies: ['retry'],
    };
  return {
    ...shared,
    ...unlessDelivered(explanation, recipient),
    remedies: reason === 'domain_not_verified' ? ['domain'] : [],
  };
}

function suppressed({ suppression }: Recipient): Pick<Finding, 'what' | 'cause' | 'advice' | 'remedies'> {
  if (suppression === null)
    return {
      what: 'The address was on the suppression list',
      cause: 'project',
      advice: 'It is no longer on the list. Send the email again if it is still needed.',
      remedies: ['send-again'],
    };
  return {
    what: 'The address is on the suppression list',
    cause:
      suppression.reason === 'manual' ? 'project' : suppression.reason === 'bounce' ? 'address' : 'recipient',
    advice: SUPPRESSED[suppression.reason],
    remedies: [],
  };
}

/** How long other servers usually retry. A server that reported a delay earlier has delivered the email, or has given up in silence. */
const OTHERS_RETRY_MS = 5 * 24 * 3_600_000;

/** A delay that another server reported, unless the email was delivered since. */
function delayedElsewhere(email: InspectedEmail, recipient: Recipient, nowMs: number): Finding | null {
  const delay = lastOf(email, recipient, 'deferred');
  if (delay?.detail.source !== 'dsn' || Date.parse(delay.created_at) < nowMs - OTHERS_RETRY_MS) return null;
  const delivery = lastOf(email, recipient, 'delivered');
  if (delivery !== undefined && indexOf(email, delivery) > indexOf(email, delay)) return null;
  return {
    kind: 'retrying',
    what: 'Another server reported a delay',
    cause: 'receiver',
    advice: 'Nothing to do: a server usually retries for several days, and reports if it gives up.',
    retries: 'The other server retries.',
    remedies: [],
    statement: statement('Bounce report', delay.detail.response, delay.detail.remote_mta),
    wasListed: null,
  };
}

function indexOf(email: InspectedEmail, event: Event): number {
  return email.events.findIndex((each) => each.event === event);
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

/** Without a code, Posthorn wrote the text itself, about a connection, for example. */
function replyName({ smtp_code: code }: { smtp_code?: number | null }): Statement['name'] {
  return code == null ? 'Details' : "Server's reply";
}
