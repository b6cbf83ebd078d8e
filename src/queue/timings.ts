import { fixed } from '../model/fixed.ts';

/** How long the queue waits, in milliseconds. */
export const TIMINGS = fixed({
  /** A lease without a heartbeat for this long may be ended by any other. */
  leaseMs: 30_000,
  heartbeatMs: 5_000,
  /** While one worker tries whether a failing destination is back, the others leave it alone for this long. */
  probeLeaseMs: 15 * 60_000,
  /** How often workers look at a backlog that they do not know of. */
  backlogLookMs: 5_000,
  /** After which a worker that cannot use a destination lets the next one look at it. */
  passOnMs: 100,
});
