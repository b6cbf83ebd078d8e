import { fixed } from '../model/fixed.ts';

/** Timeouts of DNS look-ups. */
export const TIMINGS = fixed({
  /** The time limit of each try, in milliseconds. */
  tryTimeoutMs: 2_000,
  tries: 2,
  /** The time limit of all tries together, in milliseconds. Needed because each server of the system gets its own tries. */
  lookUpTimeoutMs: 5_000,
});
