import { fixed } from '../../model/fixed.ts';

/** How long cached results are valid, in milliseconds. */
export const TIMINGS = fixed({
  /** How long a right password is not hashed again. */
  provenMs: 5 * 60_000,
  /** How long a wrong password is neither hashed nor counted again, because a phone that repeats an old password is not guessing. */
  wrongMs: 60 * 60_000,
  /**
   * How long a client that must wait gets its response from memory instead of the database. `unlock` takes effect after this time at the
   * latest.
   */
  cachedWaitMs: 2_000,
  /** A check that has waited this long is abandoned, because clients do not wait longer. */
  waitMs: 15_000,
  /** The worker thread ends after this long without work. */
  idleMs: 60_000,
});
