import { fixed } from '../model/fixed.ts';

/** Times for which the supervisor waits, in milliseconds. */
export const TIMINGS = fixed({
  /**
   * The delays before a process that died is restarted, after its first death, its second, and so on. The last value applies to all further
   * deaths.
   */
  restartWaitsMs: [0, 500, 1_000, 2_000, 4_000, 8_000, 10_000],
  /** The maximum delays before an unavailable database is tried again at the start. The last value applies to all further retries. */
  databaseWaitsMs: [1_000, 2_000, 4_000, 5_000],
  /** The time for which the start waits for a port that is in use. */
  portPatienceMs: 1_000,
  /** How long work in flight may take after SIGTERM. What is then left of `patienceMs` is for PostgreSQL's checkpoint. */
  childrenPatienceMs: 9_000,
  patienceMs: 9_700,
});
