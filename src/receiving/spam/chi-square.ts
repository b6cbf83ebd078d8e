/** How sure the tokens of a message make one that it is spam (Robinson, A Statistical Approach to the Spam Problem, 2003). */

/** How often a token was seen, in how many messages of each kind. */
export interface TokenCounts {
  junk: number;
  ham: number;
}

/** How much a token that nobody saw counts as, in messages. */
const STRENGTH = 0.45;
const UNKNOWN = 0.5;
/** Tokens nearer to the middle say nothing. */
const LEAST_DISTANCE = 0.1;
const MOST_TOKENS = 150;
/** With fewer that say something, nothing is said. */
const LEAST_TOKENS = 5;

/** @returns from 0, surely wanted, to 1, surely spam; null where too little is known of the tokens */
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
  const inJunk = Math.min(1, junk / totals.junk);
  const inHam = Math.min(1, ham / totals.ham);
  const seen = junk + ham;
  const spam = seen === 0 ? UNKNOWN : inJunk / (inJunk + inHam);
  return (STRENGTH * UNKNOWN + seen * spam) / (STRENGTH + seen);
}

/** The probability of a value at least as large, with twice as many degrees of freedom. */
function chiSquare(value: number, halfDegrees: number): number {
  // In logarithms: with 150 tokens the terms are below what a number can hold.
  const half = value / 2;
  let logTerm = -half;
  let sum = Math.exp(logTerm);
  for (let at = 1; at < halfDegrees; at++) {
    logTerm += Math.log(half / at);
    sum += Math.exp(logTerm);
  }
  return Math.min(1, sum);
}
