import { fixed } from '../model/fixed.ts';

/** Times for which the supervisor waits, in milliseconds. */
export const TIMINGS = fixed({
  /** Delays before a process that died is restarted: none after the first death. The last value applies to all later deaths. */
  restartWaitsMs: [0, 500, 1_000, 2_000, 4_000, 8_000, 10_000],
  /** The longest delays before a start retries an unavailable database; the last value applies to all later retries. */
  databaseWaitsMs: [1_000, 2_000, 4_000, 5_000],
  /** The time for which the start waits for a port that is in use. */
  portPatienceMs: 1_000,
  /** The time limit for work in flight, from SIGTERM. PostgreSQL's checkpoint gets the remainder of `patienceMs`. */
  childrenPatienceMs: 9_000,
  patienceMs: 9_700,
});
