/** What an attempt's outcome means for a recipient: events for the timeline, and when to try again. */
import type { Settlement } from '../../queue/settle.ts';
import type { NewEvent } from '../events/record-events.ts';
import type { AttemptReply, Outcome } from './provider.ts';
import { nextDelayMs } from './retry-schedule.ts';

export interface AttemptOf {
  n: number;
  address: string;
  /** From 1. */
  attempt: number;
  /** Of the email, at the end of the attempt. */
  ageMs: number;
  nowMs: number;
  /** From 0 to 1. */
  jitter: number;
}

export interface Consequence {
  settlement: Settlement;
  events: NewEvent[];
}

/** `abandoned` has no consequence: the lease is gone and nothing may be written. */
export function consequenceOf(
  outcome: Exclude<Outcome, { outcome: 'abandoned' }>,
  of: AttemptOf,
): Consequence {
  switch (outcome.outcome) {
    case 'accepted': {
      const sent: NewEvent = {
        type: 'sent',
        n: null,
        recipient: null,
        detail: { ...described(outcome.reply), provider_message_id: outcome.providerMessageId },
      };
      const later = (outcome.later ?? []).map(({ stage, detail }) => ({
        type: stage,
        n: of.n,
        recipient: of.address,
        detail: { recipient: of.address, ...detail },
      }));
      return { settlement: { kind: 'done' }, events: [sent, ...later] };
    }
    case 'permanent':
      return { settlement: { kind: 'done' }, events: [failed(of, 'rejected', outcome.reply)] };
    case 'transient': {
      const delayMs = nextDelayMs(of.attempt, of.ageMs, of.jitter);
      if (delayMs === null) return { settlement: { kind: 'done' }, events: [expired(of, outcome.reply)] };
      const actualMs = Math.min(outcome.retryAfterMs ?? delayMs, delayMs);
      return {
        settlement: { kind: 'later', delayMs: actualMs },
        events: [deferred(of, outcome.reply, actualMs)],
      };
    }
  }
}

function failed(of: AttemptOf, reason: string, reply: AttemptReply): NewEvent {
  return {
    type: 'failed',
    n: of.n,
    recipient: of.address,
    detail: { recipient: of.address, reason, detail: reply.text, ...described(reply) },
  };
}

/** The work on the message broke the worker too often; an operator can run it again. */
export function failedInternally(row: { n: number; address: string }): NewEvent {
  return {
    type: 'failed',
    n: row.n,
    recipient: row.address,
    detail: { recipient: row.address, reason: 'internal', detail: 'the service failed on this message' },
  };
}

/** Retries are used up: a soft bounce (decisions, Status of an email). */
function expired(of: AttemptOf, reply: AttemptReply): NewEvent {
  return {
    type: 'bounced',
    n: of.n,
    recipient: of.address,
    detail: {
      recipient: of.address,
      type: 'soft',
      category: 'expired',
      smtp_code: reply.replyCode,
      enhanced_code: reply.enhancedCode,
      diagnostic: reply.text,
      remote_mta: reply.remoteMta,
      suppressed: false,
      source: 'smtp',
    },
  };
}

function deferred(of: AttemptOf, reply: AttemptReply, delayMs: number): NewEvent {
  return {
    type: 'deferred',
    n: of.n,
    recipient: of.address,
    detail: {
      attempt: of.attempt,
      ...described(reply),
      next_attempt_at: new Date(of.nowMs + delayMs).toISOString(),
    },
  };
}

function described(reply: AttemptReply): Record<string, unknown> {
  return {
    smtp_code: reply.replyCode,
    enhanced_code: reply.enhancedCode,
    response: reply.text,
    remote_mta: reply.remoteMta,
    tls: reply.tls,
  };
}
