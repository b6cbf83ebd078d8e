/** What an attempt's outcome means for a recipient: events for the timeline, and when to try again. */
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
  /** From 1. */
  attempt: number;
  /** The email's age at the end of the attempt. */
  ageMs: number;
  nowMs: number;
  /** From 0 to 1. */
  jitter: number;
  /** Whether the far side is the recipient's own server. */
  isFinal: boolean;
  /** Set when the destination as a whole could not be used, found out by this attempt or before: the recipient waits for it. */
  waitFor: { destination: string; delayMs: number; wasTried: boolean } | null;
}

export interface Consequence {
  settlement: Settlement;
  events: NewEvent[];
  /** The address belongs on the project's suppression list. */
  suppress: boolean;
}

/** The email is at the provider, or waits for it. */
export const SENDING: NewEvent = { type: 'sending', recipientIndex: null, recipient: null, detail: null };

/** `abandoned` has no consequence: the lease is gone and nothing may be written. */
export function consequenceOf(
  outcome: Exclude<Outcome, { outcome: 'abandoned' }>,
  attempt: AttemptOf,
): Consequence {
  const of = outcome.isInside === true ? { ...attempt, isFinal: true } : attempt;
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
  // The dialogue stands with the event of the recipient, where it has one.
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

/** As reports name them. */
const COMMANDS: Readonly<Record<SmtpStep, string>> = {
  mail: 'MAIL FROM',
  rcpt: 'RCPT TO',
  data: 'DATA',
  dot: 'end of DATA',
};

/** The recipient's own server will not have it. */
function refused(of: AttemptOf, outcome: Extract<Outcome, { outcome: 'permanent' }>): Consequence {
  const { reply, step } = outcome;
  // The same words mean less from a filter, after the content, than from the server that knows its users.
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
  // Other far sides than a greylisting server are only believed when they say sooner.
  const actualMs = greylistDelayMs(outcome.reply, of) ?? Math.min(outcome.retryAfterMs ?? delayMs, delayMs);
  return {
    settlement: { kind: 'later', delayMs: actualMs },
    events: [deferred(of, outcome.reply, actualMs)],
    suppress: false,
  };
}

/**
 * Sooner than a greylisting server says is in vain. It is believed the first time; one that names a few seconds again and
 * again is asked no more often than the attempt before allows. Null: it does not greylist.
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
  { destination, delayMs, wasTried }: NonNullable<AttemptOf['waitFor']>,
): Consequence {
  // Whoever was not tried waits for as long as the destination takes others.
  if (wasTried && of.ageMs >= TIMINGS.giveUpAfterMs) return done([expired(of, reply)]);
  return {
    settlement: { kind: 'parked', destination, wasTried },
    // Whoever was not tried may not have it yet (docs/contract.md, Status of an email).
    events: wasTried ? [deferred(of, reply, delayMs)] : [SENDING, deferred(of, reply, delayMs)],
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

/** Why nobody was contacted, or will be. */
const NOT_SENT = {
  /** The work on the message broke the worker too often; an operator can run it again. */
  internal: 'the service failed on this message',
  suppressed: 'the address is on the suppression list of the project',
  domain_not_verified: 'the domain of the sender is not, or no longer, a verified domain of the project',
  /** What a mailbox sends alone. */
  locked: 'the mailbox is locked for sending: too much of what it sent was refused or complained about',
  /** Mail of the service alone. */
  link_ended: 'the link in the mail was used, was replaced or has expired',
  cancelled: 'it was cancelled before it was sent',
  /** It may have gone out before a backup was restored, and an operator decided to send nothing twice. */
  withdrawn:
    'it waited when a backup was restored, and the operator did not send it again: it may have gone out before',
} as const;
export type NotSent = keyof typeof NOT_SENT;

/** The detail of `withdrawn` for mail that was accepted for another kind of provider: it waited, and no backup was restored. */
export const WITHDRAWN_KIND =
  'it was accepted for another kind of provider (sandbox or real), and the operator decided not to send it';

/** @param detail in place of what is said of the reason */
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

/** Retries are used up: a soft bounce (docs/contract.md, Outcomes). */
function expired(of: AttemptOf, reply: AttemptReply): NewEvent {
  return bounced(of, { type: 'soft', category: 'expired', suppress: false }, reply);
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
  };
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

/** The reply as its server said it, codes and all, or what this side says where there was none. */
function spoken({ replyCode, enhancedCode, text }: AttemptReply): string {
  return [replyCode, enhancedCode, text].filter((part) => part !== null).join(' ');
}

function dialogueOf({ dialogue }: AttemptReply): Pick<ServerReply, 'dialogue'> {
  return dialogue === null
    ? {}
    : { dialogue: dialogue.map(({ atMs, by, text }) => ({ at_ms: atMs, by, text })) };
}
