/** The project-independent result of the built-in scorer. */
import type { Mail } from './mail.ts';
import { RULES } from './rules.ts';
import { tokensOf } from './tokens.ts';
import type { SpamReason, SpamVerdict } from './verdict.ts';

/** The findings of the examining thread, which has no access to the database. */
export interface SpamFindings {
  readonly reasons: readonly SpamReason[];
  /** The tokens for the project's Bayesian filter (`bayes.ts`). */
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
  // The sum is rounded to tenths, because sums of decimal fractions are inexact.
  return { score: Math.round(sum * 10) / 10, reasons };
}
