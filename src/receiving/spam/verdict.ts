/** The likelihood that a message is spam, and the folder that follows from it. */
import type { SpamLevel } from '../../model/spam-levels.ts';
import { spamVerdicts } from '../../observe/instruments.ts';
import type { Authentication } from '../authenticate/authentication.ts';

/** One fact that counts for or against a message. */
export interface SpamReason {
  /** The name of the rule in docs/operate/spam.md. */
  readonly rule: string;
  /**
   * Positive if the fact suggests spam, negative if it suggests wanted mail. Before the verdict, Infinity stands for a fact that reaches the
   * Junk threshold of the mailbox alone.
   */
  readonly weight: number;
}

/** The stored verdict on one message in one project. */
export interface SpamVerdict {
  /** The sum of the weights, to one decimal. */
  readonly score: number;
  readonly reasons: readonly SpamReason[];
}

/** The lowest scores at which a message goes to Junk or is rejected. */
const LIMITS: Readonly<Record<Exclude<SpamLevel, 'off'>, { junk: number; refuse: number }>> = {
  low: { junk: 10, refuse: 25 },
  medium: { junk: 6, refuse: 15 },
  high: { junk: 4, refuse: 10 },
};

/** The lowest score at which a message goes to Junk at the default level. */
export const USUAL_JUNK_SCORE = LIMITS.medium.junk;

/** The lowest score at which a message goes to Junk. Null if the score does not matter. */
export function junkScoreOf(level: SpamLevel): number | null {
  return level === 'off' ? null : LIMITS[level].junk;
}

/**
 * Reasons that are estimates: what was learned, what is known of the sender, the trained classifier, and the list of companies. They never
 * reject a message, because its sender would get a bounce, and its recipient no message to move out of Junk.
 */
const ESTIMATES = /^(?:LEARNED_|SENDER_|(?:VERY_)?LIKE_SPAM$|NAME_IS_OTHER_COMPANY$)/;

/** The weight of a learned fact that would decide alone, if the mailbox knows the sender. */
const WEIGHT_AGAINST_KNOWN = 4.5;

/** The reasons of the trained classifier, and those of the mailbox's own lessons that cancel them: its owner knows better. */
const CLASSIFIED: ReadonlySet<string> = new Set(['LIKE_SPAM', 'VERY_LIKE_SPAM']);
const WANTED: ReadonlySet<string> = new Set(['LEARNED_WANTED', 'LEARNED_05', 'LEARNED_20']);

/**
 * Learned facts that wanted mail of a marked sender has too, such as a receipt of a shop whose newsletter is in Junk. Only with the classifier
 * do they weigh as much as they say: together, they reach the threshold of level `medium`. Otherwise, they weigh less, so that facts about the
 * sender's host do not make up for it.
 */
const HINTS: ReadonlySet<string> = new Set(['LEARNED_SIMILAR', 'LEARNED_DOMAIN']);
const WEIGHT_OF_HINT_ALONE = 2;

/**
 * Sums up the reasons for one mailbox.
 * @param level the level of the mailbox or, if the mailbox has none, of the project
 */
export function verdictOf(found: readonly SpamReason[], level: SpamLevel): SpamVerdict {
  // Words do not speak against a fact that decides alone, such as a marked sender: the mailbox learned many of them from mail that was only read.
  const left = found.some(({ weight }) => weight === Infinity)
    ? found.filter(({ rule }) => !WANTED.has(rule))
    : found;
  const isWanted = left.some(({ rule }) => WANTED.has(rule));
  const given = left.filter(({ rule }) => !isWanted || !CLASSIFIED.has(rule));
  const isKnown = given.some(({ rule }) => rule === 'SENDER_KNOWN');
  const deciding = isKnown ? WEIGHT_AGAINST_KNOWN : (junkScoreOf(level) ?? USUAL_JUNK_SCORE);
  const isClassified = given.some(({ rule }) => CLASSIFIED.has(rule));
  const reasons = given.map(({ rule, weight }) => {
    const most = HINTS.has(rule) && !isClassified ? WEIGHT_OF_HINT_ALONE : Infinity;
    return { rule, weight: weight === Infinity ? deciding : Math.min(weight, most) };
  });
  const sum = reasons.reduce((total, { weight }) => total + weight, 0);
  // The sum is rounded to tenths, because sums of decimal fractions are inexact.
  return { score: Math.round(sum * 10) / 10, reasons };
}

/** The outcome for a message. `reply` is the text of the 550 that rejects it, with its enhanced status code (RFC 3463, section 3.8). */
export type SpamDecision = { outcome: 'inbox' } | { outcome: 'junk' } | { outcome: 'refuse'; reply: string };

const INBOX: SpamDecision = { outcome: 'inbox' };
const JUNK: SpamDecision = { outcome: 'junk' };

/**
 * Decides where the message belongs in one mailbox (docs/operate/spam.md, Where mail goes).
 * @param level the level of the mailbox or, if the mailbox has none, of the project
 */
export function folderForVerdict(
  authentication: Authentication,
  verdict: SpamVerdict,
  level: SpamLevel,
): SpamDecision {
  const found = judge(authentication, verdict, level);
  spamVerdicts.inc({ place: found.outcome });
  return found;
}

function judge(
  { policy, dmarc }: Authentication,
  { score, reasons }: SpamVerdict,
  level: SpamLevel,
): SpamDecision {
  if (level === 'off') return policy === 'none' ? INBOX : JUNK;
  if (policy === 'reject') {
    return {
      outcome: 'refuse',
      reply: `5.7.1 ${dmarc.domain} has a DMARC policy that rejects this message`,
    };
  }
  const { junk, refuse } = LIMITS[level];
  const estimated = reasons.reduce(
    (sum, { rule, weight }) => sum + (ESTIMATES.test(rule) ? Math.max(0, weight) : 0),
    0,
  );
  // Rounded, because differences of decimal fractions are inexact.
  if (Math.round((score - estimated) * 10) / 10 >= refuse)
    return { outcome: 'refuse', reply: '5.7.1 the message looks like spam' };
  return policy === 'quarantine' || score >= junk ? JUNK : INBOX;
}

/**
 * The value of X-Spam-Status, which begins with `Yes` if the message goes to Junk at this level. Contains no line ends and can be folded
 * at its spaces.
 */
export function spamStatus({ score, reasons }: SpamVerdict, level: SpamLevel): string {
  const required = junkScoreOf(level);
  const isSpam = required !== null && score >= required;
  const tests = reasons.map(({ rule, weight }) => `${rule}(${weight})`).join(', ');
  return [
    `${isSpam ? 'Yes' : 'No'}, score=${score.toFixed(1)}`,
    ...(required === null ? [] : [`required=${required.toFixed(1)}`]),
    `tests=${tests === '' ? 'none' : tests}`,
  ].join(' ');
}
