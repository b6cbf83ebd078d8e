import { fixed } from '../../model/fixed.ts';

/** Timings of sessions and sign-ins, in milliseconds. */
export const TIMINGS = fixed({
  /**
   * The interval at which sessions are checked, in case a notification was lost. At this interval, sessions end within the promised two
   * seconds.
   */
  pollMs: 1_000,
  /** How long records of changed credentials are retained, and also how often expired data is deleted. */
  changesRetainedMs: 60 * 60_000,
  /** The interval at which sign-ins and sessions are written. */
  registerMs: 5_000,
  /** How long the proportion of password hashes of other systems in a domain is cached. */
  standInsMs: 5 * 60_000,
  /** The minimum interval between two written sign-ins from the same client. */
  signInsWithinMs: 10 * 60_000,
});
