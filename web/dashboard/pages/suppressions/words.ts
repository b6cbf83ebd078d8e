import type { Suppression } from '../../../../src/contract/suppressions.ts';
import type { Tone } from '../../../ui/badge.tsx';
import type { Reason } from './queries.ts';

/** Ordered from events that nobody chose to deliberate ones. */
export const REASONS: Readonly<Record<Reason, { name: string; tone: Tone; why: string }>> = {
  bounce: { name: 'Bounced hard', tone: 'bad', why: 'Its server says that there is no such mailbox.' },
  complaint: { name: 'Complained', tone: 'bad', why: 'Its reader marked an email as spam.' },
  unsubscribe: { name: 'Unsubscribed', tone: 'warn', why: 'Its reader asked for no more mail.' },
  manual: {
    name: 'Added by hand',
    tone: 'quiet',
    why: 'Somebody, or a program of yours, put it on the list.',
  },
};

export function isReason(word: string): word is Reason {
  return word in REASONS;
}

/** The response of the server, or null. */
export function diagnosticOf({ detail }: Suppression): string | null {
  const said = (detail as { diagnostic?: unknown } | null)?.diagnostic;
  return typeof said === 'string' ? said : null;
}

export function countOf(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
