/** How long a look-up in DNS may take. */
export const TIMINGS = {
  /** Milliseconds for the first try, and for every later one. */
  tryTimeoutMs: 2_000,
  tries: 2,
  /** Milliseconds for all of them. With several servers the tries multiply: by then whoever asked has waited long enough. */
  lookUpTimeoutMs: 5_000,
};
