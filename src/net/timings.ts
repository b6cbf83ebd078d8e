import { fixed } from '../model/fixed.ts';

/** How long a look-up in DNS may take. */
export const TIMINGS = fixed({
  /** Milliseconds for the first try, and for every later one. */
  tryTimeoutMs: 2_000,
  tries: 2,
  /** Milliseconds for all tries. With several servers the tries multiply, and the caller has waited long enough. */
  lookUpTimeoutMs: 5_000,
});
