/** The policy of the port for mail from outside: nobody signs in, and there is nothing to relay. */
import { inboundMessages, inboundRecipients } from '../../observe/instruments.ts';
import type { ReadContent } from '../../rfc/smtp/content-buffer.ts';
import type { SmtpArrival, Paths, PolicyReply, SmtpPolicy } from './policy.ts';
import { FAULT_OUTCOMES, FAULT_REPLIES, REPLIES } from './replies.ts';

/** Why an address gets no mail: the names of replies. */
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

/**
 * What became of a message: `refused` is the text of a 550 with its enhanced code, `accepted` and the others have replies of
 * their own.
 */
type Received = 'accepted' | 'loop' | 'mailboxFull' | 'operatorsFull' | { refused: string };

export interface ReceptionOptions<Addressee> {
  /**
   * Who gets mail to an address. A rejection is answered with 451, and is not logged here.
   * @param taken whom the message is for already
   */
  route(paths: Paths, taken: readonly Addressee[]): Promise<Routed<Addressee>>;
  /** Resolves when what the message means is committed. A rejection is answered with 451, and is not logged here. */
  receive(arrival: SmtpArrival<Addressee>, data: Buffer): Promise<Received>;
}

/** It holds nothing of a connection, so all share one. */
export function receptionPolicy<Addressee>(options: ReceptionOptions<Addressee>): SmtpPolicy<Addressee> {
  return {
    help: '214 2.0.0 This server takes mail for its mailboxes, and reports on mail that was sent from here',
    signsIn: false,
    keywords: () => [],
    beginAuth: () => REPLIES.unknown,
    signIn: async () => REPLIES.unknown,
    // Any sender may write, and report a bounce: the address that a report is sent to proves it.
    refuseSender: async () => null,
    route: (paths, taken) => route(options, paths, taken),
    receive: (arrival, content) => receive(options, arrival, content),
    secured() {},
    [Symbol.dispose]() {},
  };
}

async function route<Addressee>(
  options: ReceptionOptions<Addressee>,
  paths: Paths,
  taken: readonly Addressee[],
): Promise<{ addressee: Addressee } | { refusal: PolicyReply }> {
  try {
    const routed = await options.route(paths, taken);
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

/** The names that metrics have for the answers to RCPT. */
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

/** The names that metrics have for what became of a message. */
const OUTCOMES = {
  accepted: 'accepted',
  loop: 'loop',
  mailboxFull: 'mailbox_full',
  operatorsFull: 'operators_full',
  tryAgain: 'try_again',
} as const satisfies Record<Extract<Received, string> | 'tryAgain', string>;
