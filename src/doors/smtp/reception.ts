/** The policy of the port for incoming mail: no sign-in, no relaying. */
import { inboundMessages, inboundRecipients } from '../../observe/instruments.ts';
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import type { SmtpArrival, Paths, PolicyReply, SmtpPolicy } from './policy.ts';
import { FAULT_OUTCOMES, FAULT_REPLIES, REPLIES } from './replies.ts';

/** The reason why a recipient is rejected, as the name of a reply. */
type RecipientRefusal =
  | 'noSuchRecipient'
  | 'notServedNow'
  | 'noRelay'
  | 'mailboxFull'
  | 'mailboxFullForLong'
  | 'messageOverQuota'
  | 'tooManyRecipients'
  | 'operatorsFull';

export type Routed<Addressee> = { addressee: Addressee } | { refusal: RecipientRefusal };

/** The outcome of a message. `refused` is the enhanced code and text of a 550; the other outcomes are names of replies. */
type ReceptionOutcome =
  | 'accepted'
  | 'loop'
  | 'mailboxFull'
  | 'operatorsFull'
  | 'tooManyForRoute'
  | { refused: string };

export interface ReceptionOptions<Addressee> {
  /**
   * Finds the addressee for an address. Must log an error before the promise rejects; the reply is then 451.
   * @param accepted the addressees that the message already has
   */
  route(paths: Paths, accepted: readonly Addressee[]): Promise<Routed<Addressee>>;
  /** Resolves once the message is committed. Must log an error before the promise rejects; the reply is then 451. */
  receive(arrival: SmtpArrival<Addressee>, data: Buffer): Promise<ReceptionOutcome>;
}

/** Creates a policy without state, which all connections share. */
export function receptionPolicy<Addressee>(options: ReceptionOptions<Addressee>): SmtpPolicy<Addressee> {
  return {
    help: '214 2.0.0 This server accepts mail for its mailboxes, and reports about mail that it sent',
    signsIn: false,
    keywords: () => [],
    beginAuth: () => REPLIES.unknown,
    signIn: async () => REPLIES.unknown,
    // Accept every sender, even the empty one of delivery reports: a report is authenticated by its signed recipient address.
    checkSender: async () => null,
    route: (paths, accepted) => route(options, paths, accepted),
    receive: (arrival, content) => receive(options, arrival, content),
    onSecured() {},
    [Symbol.dispose]() {},
  };
}

async function route<Addressee>(
  options: ReceptionOptions<Addressee>,
  paths: Paths,
  accepted: readonly Addressee[],
): Promise<{ addressee: Addressee } | { refusal: PolicyReply }> {
  try {
    const routed = await options.route(paths, accepted);
    inboundRecipients.inc({ result: 'refusal' in routed ? RESULTS[routed.refusal] : 'taken' });
    return 'refusal' in routed ? { refusal: REPLIES[routed.refusal] } : routed;
  } catch {
    inboundRecipients.inc({ result: 'try_again' });
    return { refusal: REPLIES.tryAgain };
  }
}

async function receive<Addressee>(
  options: ReceptionOptions<Addressee>,
  arrival: SmtpArrival<Addressee>,
  content: ReadContent,
): Promise<PolicyReply> {
  if ('fault' in content) {
    inboundMessages.inc({ outcome: FAULT_OUTCOMES[content.fault] });
    return FAULT_REPLIES[content.fault];
  }
  const received = await options.receive(arrival, content.data).catch(() => 'tryAgain' as const);
  const isRefused = typeof received === 'object';
  inboundMessages.inc({ outcome: isRefused ? 'refused' : OUTCOMES[received] });
  return isRefused ? `550 ${received.refused}` : REPLIES[received];
}

/** Metric labels for replies to RCPT. */
const RESULTS = {
  noSuchRecipient: 'no_such_recipient',
  notServedNow: 'not_served_now',
  noRelay: 'no_relay',
  mailboxFull: 'mailbox_full',
  mailboxFullForLong: 'mailbox_full_for_long',
  messageOverQuota: 'message_over_quota',
  tooManyRecipients: 'too_many',
  operatorsFull: 'operators_full',
} as const satisfies Record<RecipientRefusal, string>;

/** Metric labels for message outcomes. */
const OUTCOMES = {
  accepted: 'accepted',
  loop: 'loop',
  mailboxFull: 'mailbox_full',
  operatorsFull: 'operators_full',
  tooManyForRoute: 'sender_limited',
  tryAgain: 'try_again',
} as const satisfies Record<Extract<ReceptionOutcome, string> | 'tryAgain', string>;
