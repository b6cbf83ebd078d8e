import { fixed } from '../../model/fixed.ts';

/** Timeouts and delays of deliveries, in milliseconds. */
export const TIMINGS = fixed({
  /** If a worker has not written the end of an attempt within this time, the worker is considered dead and the attempt failed. */
  claimMs: 45_000,
  /** The delay after the first failed attempt; it doubles after each later one. */
  firstDelayMs: 30_000,
});
