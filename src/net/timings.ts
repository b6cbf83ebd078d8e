import { fixed } from '../model/fixed.ts';

/** Timeouts of DNS look-ups. */
export const TIMINGS = fixed({
  /** The time limit of each try, in milliseconds. */
  tryTimeoutMs: 2_000,
  tries: 2,
  /** The time limit of all tries together, in milliseconds. Needed because the tries are counted for each of the system's resolvers. */
  lookUpTimeoutMs: 5_000,
});
