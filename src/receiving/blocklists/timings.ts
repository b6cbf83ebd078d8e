import { fixed } from '../../model/fixed.ts';

/** Time limits for blocklists. */
export const TIMINGS = fixed({
  /** The time limit in milliseconds for each look-up. Later answers do not count. */
  listsMs: 2_000,
  /** The time limit of each of two tries of a look-up, in milliseconds. */
  tryTimeoutMs: 900,
  tries: 2,
  /** Milliseconds after which the test entries of a list are looked up again. */
  testMs: 600_000,
  /** Milliseconds in which a list that failed is not queried. */
  restMs: 300_000,
  /** Milliseconds after a warning about a list in which a further failure is not logged. */
  warnMs: 3_600_000,
});
