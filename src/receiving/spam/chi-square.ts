/** The spam probability of a message by its tokens (Robinson, A Statistical Approach to the Spam Problem, 2003). */

/** How many junk messages, and how many other messages, contain a token. */
export interface TokenCounts {
  junk: number;
  ham: number;
}

/** How many junk messages, and how many other messages, must be learned before words affect the score. */
export const LEAST_LESSONS: TokenCounts = { junk: 10, ham: 20 };
/** Each token is first assumed to have the spam probability `UNKNOWN`. The assumption weighs as much as this many messages. */
const STRENGTH = 0.45;
const UNKNOWN = 0.5;
/** Tokens are ignored if their spam probability differs from 0.5 by less than this. */
const LEAST_DISTANCE = 0.1;
const MOST_TOKENS = 150;
/** The minimum number of significant tokens for a result. */
const LEAST_TOKENS = 5;

/** @returns from 0 (certainly wanted) to 1 (certainly spam), or null if too few tokens are significant */
export function spamProbability(tokens: readonly TokenCounts[], totals: TokenCounts): number | null {
  const telling = tokens
    .map((token) => degree(token, totals))
    .filter((spam) => Math.abs(spam - UNKNOWN) >= LEAST_DISTANCE)
    .sort((a, b) => Math.abs(b - UNKNOWN) - Math.abs(a - UNKNOWN))
    .slice(0, MOST_TOKENS);
  if (telling.length < LEAST_TOKENS) return null;
  const sum = (of: (spam: number) => number) =>
    telling.reduce((total, spam) => total + Math.log(of(spam)), 0);
  const ham = chiSquare(-2 * sum((spam) => spam), telling.length);
  const junk = chiSquare(-2 * sum((spam) => 1 - spam), telling.length);
  return (1 + ham - junk) / 2;
}

function degree({ junk, ham }: TokenCounts, totals: TokenCounts): number {
  // Half a message is added to each count. Otherwise a word would be certain after few lessons.
  const inJunk = Math.min(1, (junk + 0.5) / (totals.junk + 1));
  const inHam = Math.min(1, (ham + 0.5) / (totals.ham + 1));
  const seen = junk + ham;
  const spam = seen === 0 ? UNKNOWN : inJunk / (inJunk + inHam);
  return (STRENGTH * UNKNOWN + seen * spam) / (STRENGTH + seen);
}

/** The probability that a chi-square variable with `2 * halfDegrees` degrees of freedom is at least `value`. */
function chiSquare(value: number, halfDegrees: number): number {
  // The terms are computed as logarithms, because with 150 tokens they would underflow.
  const half = value / 2;
  let logTerm = -half;
  let sum = Math.exp(logTerm);
  for (let at = 1; at < halfDegrees; at++) {
    logTerm += Math.log(half / at);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}
