import { fixed } from '../model/fixed.ts';

/** Timeouts of DNS look-ups. */
export const TIMINGS = fixed({
  /** Milliseconds for each try. */
  tryTimeoutMs: 2_000,
  tries: 2,
  /** Milliseconds for all tries together, because the tries multiply with the number of servers. */
  lookUpTimeoutMs: 5_000,
});
