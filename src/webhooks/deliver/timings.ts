import { fixed } from '../../model/fixed.ts';

/** Timeouts and delays of deliveries, in milliseconds. */
export const TIMINGS = fixed({
  /**
   * The lifetime of a claim. If a worker has not written the outcome of an attempt within this time, the worker counts as dead and the
   * attempt as failed.
   */
  claimMs: 45_000,
  /** The delay after the first failed attempt. The delay doubles after each later attempt. */
  firstDelayMs: 30_000,
});
