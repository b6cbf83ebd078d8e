/** How much a message looks like spam, and what follows from it. */
import type { SpamLevel } from '../../model/spam-levels.ts';
import { spamVerdicts } from '../../observe/instruments.ts';
import type { Authentication } from '../authenticate/authentication.ts';

/** One thing that counts for or against a message. */
export interface SpamReason {
  /** The name of the rule, as docs/operate/spam.md lists it. */
  readonly rule: string;
  /** Above 0 it speaks for spam, below 0 against it. */
  readonly weight: number;
}

/** What is kept of the judgement of one message in one project. */
export interface SpamVerdict {
  /** The sum of the weights, to one decimal. */
  readonly score: number;
  readonly reasons: readonly SpamReason[];
}

/** From which score on a message goes to Junk, and from which it is refused. */
const LIMITS: Readonly<Record<Exclude<SpamLevel, 'off'>, { junk: number; refuse: number }>> = {
  low: { junk: 10, refuse: 25 },
  medium: { junk: 6, refuse: 15 },
  high: { junk: 4, refuse: 10 },
};

/** From which score on a message goes to Junk where nobody asked for another level. */
export const USUAL_JUNK_SCORE = LIMITS.medium.junk;

/** Where a message belongs: `reply` is the text of the 550 that refuses it, with its enhanced code (RFC 3463, section 3.8). */
export type SpamDecision = { place: 'inbox' } | { place: 'junk' } | { place: 'refuse'; reply: string };

const INBOX: SpamDecision = { place: 'inbox' };
const JUNK: SpamDecision = { place: 'junk' };

/**
 * Where one mailbox wants the message (docs/operate/spam.md, Where mail goes).
 * @param level of the mailbox, else of its project
 */
export function folderForVerdict(
  authentication: Authentication,
  verdict: SpamVerdict,
  level: SpamLevel,
): SpamDecision {
  const found = judge(authentication, verdict, level);
  spamVerdicts.inc({ place: found.place });
  return found;
}

function judge({ policy, dmarc }: Authentication, { score }: SpamVerdict, level: SpamLevel): SpamDecision {
  if (level === 'off') return policy === 'none' ? INBOX : JUNK;
  if (policy === 'reject') {
    return {
      place: 'refuse',
      reply: `5.7.1 ${dmarc.domain} asks to refuse mail that fails its DMARC policy`,
    };
  }
  const { junk, refuse } = LIMITS[level];
  if (score >= refuse) return { place: 'refuse', reply: '5.7.1 the message looks like spam' };
  return policy === 'quarantine' || score >= junk ? JUNK : INBOX;
}

/** The value of X-Spam-Status: `Yes` is what the level sends to Junk. Without line ends; it can be folded at its spaces. */
export function spamStatus({ score, reasons }: SpamVerdict, level: SpamLevel): string {
  const required = level === 'off' ? null : LIMITS[level].junk;
  const isSpam = required !== null && score >= required;
  const tests = reasons.map(({ rule, weight }) => `${rule}(${weight})`).join(', ');
  return [
    `${isSpam ? 'Yes' : 'No'}, score=${score.toFixed(1)}`,
    ...(required === null ? [] : [`required=${required.toFixed(1)}`]),
    `tests=${tests === '' ? 'none' : tests}`,
  ].join(' ');
}
