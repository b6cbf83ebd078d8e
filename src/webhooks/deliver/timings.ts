import { fixed } from '../../model/fixed.ts';

/** How long deliveries wait, in milliseconds. */
export const TIMINGS = fixed({
  /** A worker that has not written the end of an attempt by then is taken for dead, and the attempt for failed. */
  claimMs: 45_000,
  /** After the first failed attempt; doubled after each later one. */
  firstDelayMs: 30_000,
});
