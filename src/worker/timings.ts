import { fixed } from '../model/fixed.ts';

/** The intervals of a worker's background work, and its stop timeouts, in milliseconds. */
export const TIMINGS = fixed({
  tickMs: 1_000,
  /** The interval between checks for expired leases. */
  judgeMs: 5_000,
  /** The interval between deletions of expired data. */
  clearMs: 10 * 60_000,
  foldMs: 60_000,
  /**
   * How often a worker that is not the first tries the background jobs of the first worker, whose worker role may have stopped although its
   * process sends heartbeats. A job that hangs in the first worker still holds its lock, so no other worker can run it.
   */
  standInMs: 10 * 60_000,
  /** The time limit of one run that makes rows due again after the kind of provider changed. There may be millions of rows. */
  rejoinMs: 2_000,
  /**
   * The timeout for deliveries in flight when the worker stops. A stop may take ten seconds in total, and later steps need three seconds.
   */
  stopGraceMs: 7_000,
  /** The maximum time that a stop waits for the poll after the deliveries have ended. The poll may wait for a lock for half a minute. */
  pollGraceMs: 500,
  /** The timeout of a retired lease: long enough for the slowest reply to the final dot of a message. */
  retireGraceMs: 15 * 60_000,
});
