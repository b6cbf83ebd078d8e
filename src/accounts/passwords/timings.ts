import { fixed } from '../../model/fixed.ts';

/** How long cached results are valid, in milliseconds. */
export const TIMINGS = fixed({
  /** A password that was right is not hashed again for this long. */
  provenMs: 5 * 60_000,
  /** A password that was wrong is neither hashed nor counted again for this long: a phone with an old password is not guessing. */
  wrongMs: 60 * 60_000,
  /** For this long, a client that must wait gets its response from memory, not from the database. So `unlock` takes effect after this time. */
  restMs: 2_000,
  /** A hash that has waited this long is abandoned: clients do not wait longer. */
  waitMs: 15_000,
  /** The worker thread ends after this long without work. */
  idleMs: 60_000,
});
