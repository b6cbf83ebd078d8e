import { fixed } from '../../model/fixed.ts';

/** Timings of the System page, in milliseconds. */
export const TIMINGS = fixed({
  /** The age at which doctor results are outdated and a new run starts. */
  doctorKeptMs: 5 * 60_000,
  /** Time limit for a run of all checks. A check takes at most 20 s, and all checks run in parallel. */
  threadAnswerMs: 60_000,
  /** The thread ends immediately, because its next run is minutes away. */
  threadIdleMs: 0,
  /** Timeout of a query for a page. */
  readTimeoutMs: 5_000,
  /** Interval between polls of the log level. */
  logLevelPollMs: 2_000,
});
