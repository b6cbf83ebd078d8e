/** Explains to the reader what the spam check found when the message was received. */
import type { SpamLevel } from '../../../model/spam-levels.ts';
import type { Authentication } from '../../../receiving/authenticate/authentication.ts';
import { meaningOf } from '../../../receiving/spam/meanings.ts';
import { junkScoreOf, type SpamVerdict } from '../../../receiving/spam/verdict.ts';

export interface SpamWords {
  text: string;
  details: string[];
}

const MAX_DETAILS = 20;

/**
 * @param verdict null if the message was not received over SMTP
 * @param level the current level of the mailbox, which may have changed since
 */
export function spamWords(
  verdict: SpamVerdict | null,
  authentication: Pick<Authentication, 'policy' | 'dmarc'> | null,
  level: SpamLevel,
): SpamWords | null {
  if (verdict === null) return null;
  const { score, reasons } = verdict;
  return {
    text: summary(score, authentication, level),
    details: reasons
      .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
      .slice(0, MAX_DETAILS)
      .map(({ rule, weight }) => `${weight < 0 ? '−' : '+'}${Math.abs(weight)}: ${meaningOf(rule)}`),
  };
}

function summary(
  score: number,
  authentication: Pick<Authentication, 'policy' | 'dmarc'> | null,
  level: SpamLevel,
): string {
  if (authentication !== null && authentication.policy !== 'none')
    return `Put into Junk, because ${authentication.dmarc.domain ?? 'the sender'} asks receivers to do so with mail that cannot be verified.`;
  const limit = junkScoreOf(level);
  if (limit === null) return `The spam filter of this mailbox is off. Spam score: ${score}.`;
  return `Spam score: ${score}. Mail with a score of ${limit} or more is put into Junk.`;
}
