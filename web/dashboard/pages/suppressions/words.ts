import type { Suppression } from '../../../../src/contract/suppressions.ts';
import type { Tone } from '../../../ui/badge.tsx';
import type { Reason } from './queries.ts';

/** The reasons for a suppression: first the automatic reasons, then the reasons that users choose. */
export const REASONS: Readonly<Record<Reason, { name: string; tone: Tone; why: string }>> = {
  bounce: { name: 'Hard bounce', tone: 'bad', why: 'The mailbox does not exist.' },
  complaint: { name: 'Complained', tone: 'bad', why: 'The recipient reported an email as spam.' },
  unsubscribe: { name: 'Unsubscribed', tone: 'warn', why: 'The recipient unsubscribed.' },
  manual: {
    name: 'Added manually',
    tone: 'quiet',
    why: 'A user or one of your applications added it.',
  },
};

export function isReason(word: string): word is Reason {
  return word in REASONS;
}

/** The response from the recipient's server; null if the suppression has none. */
export function diagnosticOf({ detail }: Suppression): string | null {
  const said = (detail as { diagnostic?: unknown } | null)?.diagnostic;
  return typeof said === 'string' ? said : null;
}
