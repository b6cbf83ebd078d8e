import { fixed } from '../../model/fixed.ts';

/** Timings of ACME, in milliseconds. */
export const TIMINGS = fixed({
  /** The interval at which each process polls for certificates and challenges. */
  scanMs: 5_000,
  /** How long to wait until all processes have read a new challenge: enough for two polls, even if one of them is slow. */
  spreadMs: 12_000,
  /** The time limit for an order. */
  orderMs: 4 * 60_000,
  /**
   * How long a claim lasts. It is longer than an order can take, so if a claim expires, its process has died, and another process may claim
   * the name.
   */
  claimMs: 10 * 60_000,
  /** The minimum interval for polling the status of an order. */
  pollMs: 2_000,
  /**
   * The delay after the first failure. It doubles after each further failure. With these delays, attempts stay within the five failed
   * validations per hour that authorities allow for a name.
   */
  firstDelayMs: 5 * 60_000,
  /**
   * After a restart, a name whose last attempt failed is tried again within this time, because the operator may have fixed the cause. Four
   * attempts an hour are within the limits of authorities.
   */
  restartDelayMs: 15 * 60_000,
  maxDelayMs: 12 * 60 * 60_000,
});
