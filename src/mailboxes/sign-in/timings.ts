import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** The interval at which sessions are checked, in case a notice was lost: they end within two seconds. */
  pollMs: 1_000,
  /** How long notes of changed credentials are stored, and the interval at which expired data is deleted. */
  changesRetainedMs: 60 * 60_000,
  /** The interval at which sign-ins and sessions are written. */
  registerMs: 5_000,
  /** The interval after which another sign-in from the same client is written. */
  signInsWithinMs: 10 * 60_000,
});
