import { fixed } from '../../model/fixed.ts';

/** Timings of ACME, in milliseconds. */
export const TIMINGS = fixed({
  /** The interval at which each process polls for certificates and challenges. */
  scanMs: 5_000,
  /** After this time all processes know a new challenge. It covers two polls, one of them slow. */
  spreadMs: 12_000,
  /** Time limit of an order. */
  orderMs: 4 * 60_000,
  /** Lifetime of a claim, longer than an order. If a process has obtained nothing by then, it is dead, and another process tries. */
  claimMs: 10 * 60_000,
  /** Minimum interval for polling the status of an order. */
  pollMs: 2_000,
  /** Delay after the first failure, doubled after each later one. Authorities allow five failed validations of a name per hour. */
  firstDelayMs: 5 * 60_000,
  /** Maximum delay after a restart, because the operator may have fixed the cause. Four attempts an hour are still allowed. */
  restartDelayMs: 15 * 60_000,
  maxDelayMs: 12 * 60 * 60_000,
});
