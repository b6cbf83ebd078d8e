import { fixed } from '../model/fixed.ts';

/** Timings of the queue, in milliseconds. */
export const TIMINGS = fixed({
  /** Any worker may end a lease that has had no heartbeat for this long. */
  leaseMs: 30_000,
  heartbeatMs: 5_000,
  /** How long a failing destination is reserved for the worker that probes it. */
  probeLeaseMs: 15 * 60_000,
  /** Interval at which workers poll a destination with a backlog. */
  backlogLookMs: 5_000,
});
