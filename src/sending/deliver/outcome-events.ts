/** Turns the outcome of an attempt into events for the timeline and the time of the next attempt. */
import type { ServerReply } from '../../contract/events.ts';
import type { Classification } from '../../model/bounce.ts';
import type { Settlement } from '../../queue/settle.ts';
import type { NewEvent } from '../events/record-events.ts';
import { classifyReply } from '../replies/classify-reply.ts';
import { greylisted } from '../replies/greylisted.ts';
import type { AttemptReply, Outcome, SmtpStep } from './provider.ts';
import { nextDelayMs } from './retry-schedule.ts';
import { TIMINGS } from './timings.ts';

export interface AttemptOf {
  recipientIndex: number;
  address: string;
  /** The number of the attempt. The first attempt is 1. */
  attempt: number;
  /** The age of the email at the end of the attempt. */
  ageMs: number;
  nowMs: number;
  /** A random number from 0 to 1. */
  jitter: number;
  /** Whether the message was sent to the recipient's own server. */
  isFinal: boolean;
  /**
   * The unavailable destination for which the recipient waits, found by this attempt or an earlier one. Null: the recipient waits for no
   * destination.
   */
  waitFor: { destination: string; delayMs: number; wasAttempted: boolean } | null;
}

export interface Consequence {
  settlement: Settlement;
  events: NewEvent[];
  /** Whether the address is added to the project's suppression list. */
  suppress: boolean;
}

/** The event of an email that is at the provider or waits for the provider. */
export const SENDING: NewEvent = { type: 'sending', recipientIndex: null, recipient: null, detail: null };

/** The consequence of an outcome. `abandoned` has none, because the lease is lost and nothing may be written. */
export function consequenceOf(
  outcome: Exclude<Outcome, { outcome: 'abandoned' }>,
  attempt: AttemptOf,
): Consequence {
  const of = outcome.isLocal === true ? { ...attempt, isFinal: true } : attempt;
  switch (outcome.outcome) {
    case 'accepted':
      return done(accepted(of, outcome));
    case 'permanent':
      return of.isFinal ? refused(of, outcome) : done([failed(of, 'rejected', outcome.reply)]);
    case 'unroutable':
      return done([failed(of, outcome.reason, outcome.reply)]);
    case 'transient':
      return of.waitFor === null ? putOff(of, outcome) : parked(of, outcome.reply, of.waitFor);
  }
}

function done(events: NewEvent[]): Consequence {
  return { settlement: { kind: 'done' }, events, suppress: false };
}

function accepted(of: AttemptOf, outcome: Extract<Outcome, { outcome: 'accepted' }>): NewEvent[] {
  const { reply } = outcome;
  // If there is a `delivered` event, it has the dialogue instead.
  const sent: NewEvent = {
    type: 'sent',
    recipientIndex: null,
    recipient: null,
    detail: {
      ...described(of.isFinal ? { ...reply, dialogue: null } : reply),
      provider_message_id: outcome.providerMessageId,
    },
  };
  const delivered: NewEvent[] = of.isFinal
    ? [
        {
          type: 'delivered',
          recipientIndex: of.recipientIndex,
          recipient: of.address,
          detail: { recipient: of.address, ...described(reply) },
        },
      ]
    : [];
  const later = (outcome.later ?? []).map((stage) => ({
    ...stage,
    recipientIndex: of.recipientIndex,
    recipient: of.address,
  }));
  return [sent, ...delivered, ...later];
}

/** The names of SMTP commands as bounce reports write them. */
const COMMANDS: Readonly<Record<SmtpStep, string>> = {
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  data: 'DATA',
  dot: 'end of DATA',
};

/** The consequence if the recipient's own server rejected the message. */
function refused(of: AttemptOf, outcome: Extract<Outcome, { outcome: 'permanent' }>): Consequence {
  const { reply, step } = outcome;
  // The step is added to the text, because the same words are weaker evidence after the content than in the reply to RCPT.
  const text = step === undefined ? reply.text : `${reply.text} (in reply to ${COMMANDS[step]} command)`;
  const { type, category, suppress } = classifyReply({ ...reply, text });
  return {
    settlement: { kind: 'done' },
    events: [bounced(of, { type, category, suppress }, reply)],
    suppress,
  };
}

function putOff(of: AttemptOf, outcome: Extract<Outcome, { outcome: 'transient' }>): Consequence {
  const delayMs = nextDelayMs(of.attempt, of.ageMs, of.jitter);
  if (delayMs === null) return done([expired(of, outcome.reply)]);
  // If a server that does not greylist names a retry time, this time is used only if it is earlier than the usual retry time.
  const actualMs = greylistDelayMs(outcome.reply, of) ?? Math.min(outcome.retryAfterMs ?? delayMs, delayMs);
  return {
    settlement: { kind: 'later', delayMs: actualMs },
    events: [deferred(of, outcome.reply, actualMs)],
    suppress: false,
  };
}

/**
 * A retry before the time that a greylisting server names is pointless. After the first reply, the server's delay is used unchanged. A
 * server that names a few seconds repeatedly is retried no sooner than after the previous delay. Null: the server does not greylist.
 */
function greylistDelayMs(reply: AttemptReply, { attempt, ageMs, jitter }: AttemptOf): number | null {
  const greylist = greylisted(reply);
  if (greylist === null) return null;
  const leastMs = attempt === 1 ? 0 : (nextDelayMs(attempt - 1, ageMs, jitter) ?? 0);
  return Math.max(Math.round(greylist.retryAfterMs * (1 + jitter / 10)), leastMs);
}

function parked(
  of: AttemptOf,
  reply: AttemptReply,
  { destination, delayMs, wasAttempted }: NonNullable<AttemptOf['waitFor']>,
): Consequence {
  // A recipient that was not attempted does not expire here, but only after its destination has accepted no mail for three days.
  if (wasAttempted && of.ageMs >= TIMINGS.abandonAfterMs) return done([expired(of, reply)]);
  return {
    settlement: { kind: 'parked', destination, wasAttempted },
    // An email that was not attempted may have no `sending` event yet (docs/contract.md, Status of an email).
    events: wasAttempted ? [deferred(of, reply, delayMs)] : [SENDING, deferred(of, reply, delayMs)],
    suppress: false,
  };
}

function failed(of: AttemptOf, reason: string, reply: AttemptReply): NewEvent {
  return {
    type: 'failed',
    recipientIndex: of.recipientIndex,
    recipient: of.address,
    detail: { recipient: of.address, reason, detail: spoken(reply), ...described(reply) },
  };
}

/** The reasons why no server was contacted. */
const NOT_SENT = {
  /** Workers crashed too often with the message in flight. An operator can retry the message. */
  internal: 'the service failed to process this message',
  suppressed: 'the address is on the suppression list of the project',
  domain_not_verified: "the sender's domain is not a verified domain of the project",
  /** Only for mailbox mail. */
  locked: 'the mailbox is locked for sending: too much of its mail was rejected or reported as spam',
  /** Only for service mail. */
  link_ended: 'the link in the mail was used, was replaced or has expired',
  cancelled: 'it was cancelled before it was sent',
  /** The message may have been sent before a backup was restored, and an operator decided against sending mail twice. */
  withdrawn:
    'it was waiting when a backup was restored, and the operator did not send it again because it may have been sent before',
} as const;
export type NotSent = keyof typeof NOT_SENT;

/** The detail of `withdrawn` for mail that was accepted for another kind of provider. No backup was restored in this case. */
export const WITHDRAWN_KIND =
  'it was accepted for another kind of provider (sandbox or real), and the operator decided not to send it';

/** @param detail text that replaces the standard text of the reason */
export function failedUnsent(
  row: { recipientIndex: number; address: string },
  reason: NotSent,
  detail: string = NOT_SENT[reason],
): NewEvent {
  return {
    type: 'failed',
    recipientIndex: row.recipientIndex,
    recipient: row.address,
    detail: { recipient: row.address, reason, detail },
  };
}

/** The event after the last retry has failed: a soft bounce (docs/contract.md, Outcomes). */
function expired(of: AttemptOf, reply: AttemptReply): NewEvent {
  return {
    ...bounced(of, { type: 'soft', category: 'expired', suppress: false }, reply),
    ...relayedBy(of, reply),
  };
}

function bounced(of: AttemptOf, { type, category, suppress }: Classification, reply: AttemptReply): NewEvent {
  return {
    type: 'bounced',
    recipientIndex: of.recipientIndex,
    recipient: of.address,
    detail: {
      recipient: of.address,
      type,
      category,
      smtp_code: reply.replyCode,
      enhanced_code: reply.enhancedCode,
      diagnostic: spoken(reply),
      remote_mta: reply.remoteMta,
      suppressed: suppress,
      source: 'smtp',
      ...noteOf(reply),
      ...dialogueOf(reply),
    },
  };
}

function deferred(of: AttemptOf, reply: AttemptReply, delayMs: number): NewEvent {
  return {
    type: 'deferred',
    recipientIndex: of.recipientIndex,
    recipient: of.address,
    detail: {
      attempt: of.attempt,
      ...described(reply),
      next_attempt_at: new Date(of.nowMs + delayMs).toISOString(),
    },
    ...relayedBy(of, reply),
  };
}

function relayedBy({ isFinal }: AttemptOf, { isSimulated }: AttemptReply): Pick<NewEvent, 'isRelayed'> {
  return isFinal || isSimulated === true ? {} : { isRelayed: true };
}

function described(reply: AttemptReply): ServerReply {
  return {
    smtp_code: reply.replyCode,
    enhanced_code: reply.enhancedCode,
    response: spoken(reply),
    remote_mta: reply.remoteMta,
    tls: reply.tls,
    ...noteOf(reply),
    ...dialogueOf(reply),
  };
}

function noteOf({ note }: AttemptReply): Pick<ServerReply, 'note'> {
  return note === undefined ? {} : { note };
}

/** The server's reply with its codes. Without a reply, the text that Posthorn wrote itself. */
function spoken({ replyCode, enhancedCode, text }: AttemptReply): string {
  return [replyCode, enhancedCode, text].filter((part) => part !== null).join(' ');
}

function dialogueOf({ dialogue }: AttemptReply): Pick<ServerReply, 'dialogue'> {
  return dialogue === null
    ? {}
    : { dialogue: dialogue.map(({ atMs, by, text }) => ({ at_ms: atMs, by, text })) };
}
