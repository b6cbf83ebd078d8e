import { fixed } from '../../model/fixed.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Timings in milliseconds. After a temporary failure, a message is retried soon at first, then every few hours, for three days. */
export const TIMINGS = fixed({
  /** How often a worker polls for due destinations. */
  scanMs: 1_000,
  /** The delay after each attempt. The last value applies to all later attempts. */
  retryDelaysMs: [
    1 * MINUTE_MS,
    3 * MINUTE_MS,
    10 * MINUTE_MS,
    30 * MINUTE_MS,
    1 * HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    6 * HOUR_MS,
  ],
  /**
   * The age at which a message is abandoned. RFC 5321, section 4.5.4.1 recommends at least four to five days, but a password reset is stale
   * long before that.
   */
  abandonAfterMs: 72 * HOUR_MS,
});
