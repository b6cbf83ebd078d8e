import { fixed } from '../../model/fixed.ts';

/** How long what is known of passwords is true, in milliseconds. */
export const TIMINGS = fixed({
  /** A password that was right is not hashed again for so long. */
  provenMs: 5 * 60_000,
  /** A password that was wrong is neither hashed nor counted again for so long: a phone with an old password does not guess. */
  wrongMs: 60 * 60_000,
  /** Whoever is to wait is told so from memory: the database is asked at most so often. `unlock` counts after this. */
  restMs: 2_000,
  /** A hash that has waited so long is given up: clients do not wait for longer. */
  waitMs: 15_000,
  /** The thread that hashes ends when it had nothing to do for so long. */
  idleMs: 60_000,
});
