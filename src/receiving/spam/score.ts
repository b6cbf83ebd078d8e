/** What our own scorer says of a message, in any project. */
import type { Mail } from './mail.ts';
import { RULES } from './rules.ts';
import { tokensOf } from './tokens.ts';
import type { SpamReason, SpamVerdict } from './verdict.ts';

/** What can be found out without the database, in a thread. */
export interface SpamFindings {
  readonly reasons: readonly SpamReason[];
  /** For what the project has learned (`bayes.ts`). */
  readonly tokens: readonly number[];
}

export function findSpamSigns(mail: Mail): SpamFindings {
  const reasons = RULES.filter((rule) => rule.matches(mail)).map(({ name, weight }) => ({
    rule: name,
    weight,
  }));
  return { reasons, tokens: tokensOf(mail) };
}

export function verdictOf(reasons: readonly SpamReason[]): SpamVerdict {
  const sum = reasons.reduce((total, { weight }) => total + weight, 0);
  // In tenths: a sum of decimals is none.
  return { score: Math.round(sum * 10) / 10, reasons };
}
