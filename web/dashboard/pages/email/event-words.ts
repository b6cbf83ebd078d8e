import type { Tone } from '../../../ui/badge.tsx';
import type { DialogueLine } from '../../../../src/contract/events.ts';
import type { InspectedEmail } from '../../../../src/contract/dashboard/email.ts';

export type Inspected = InspectedEmail['events'][number];
export type TimelineEvent = Inspected['event'];

export const TONES: Readonly<Record<TimelineEvent['type'], Tone>> = {
  queued: 'quiet',
  sending: 'quiet',
  sent: 'info',
  delivered: 'good',
  opened: 'good',
  clicked: 'good',
  deferred: 'warn',
  failed: 'bad',
  bounced: 'bad',
  complained: 'bad',
};

/** The name of an event, in one or two words. */
export function nameOf(event: TimelineEvent): string {
  if (event.type === 'deferred')
    return event.detail.attempt === undefined ? 'Delayed' : `Deferred, attempt ${event.detail.attempt}`;
  if (event.type === 'bounced') return event.detail.type === 'hard' ? 'Bounced' : 'Bounced (soft)';
  return event.type.charAt(0).toUpperCase() + event.type.slice(1);
}

/** The details of an event as text, one item per line. */
export function wordsOf(event: TimelineEvent): string[] {
  const lines: (string | null | undefined | false)[] = [];
  switch (event.type) {
    case 'queued':
      lines.push('Accepted and queued.');
      break;
    case 'sending':
      break;
    case 'sent':
    case 'delivered':
      lines.push(event.detail.response);
      break;
    case 'deferred':
      lines.push(event.detail.response);
      break;
    case 'bounced':
      lines.push(
        event.detail.category.replaceAll('_', ' '),
        event.detail.diagnostic,
        event.detail.suppressed && 'The address was added to the suppression list.',
      );
      break;
    case 'failed':
      lines.push(event.detail.reason.replaceAll('_', ' '), event.detail.detail);
      break;
    case 'complained':
      lines.push(event.detail.feedback_type, event.detail.reporting_mta);
      break;
    case 'opened':
    case 'clicked':
      lines.push(
        event.type === 'clicked' && event.detail.url,
        event.detail.is_machine === true && 'Caused by a machine, not a person.',
        event.detail.user_agent,
      );
      break;
  }
  // The note explains why the attempt used this server.
  if (event.detail !== null && 'note' in event.detail) lines.push(event.detail.note);
  return lines.filter((line): line is string => typeof line === 'string' && line !== '');
}

interface Wire {
  tls: boolean | null;
  remoteMta: string | null;
  dialogue: readonly DialogueLine[];
}

/** The connection details of an attempt; null if the event has no connection. */
export function wireOf({ type, detail }: TimelineEvent): Wire | null {
  if (
    type !== 'sent' &&
    type !== 'delivered' &&
    type !== 'deferred' &&
    type !== 'bounced' &&
    type !== 'failed'
  )
    return null;
  const tls = 'tls' in detail ? (detail.tls ?? null) : null;
  return { tls, remoteMta: detail.remote_mta ?? null, dialogue: detail.dialogue ?? [] };
}

export function clicksOf({ events }: InspectedEmail): number {
  return events.filter(({ event }) => event.type === 'clicked').length;
}
