/** Durations of waiting for caught mail. */
export const TIMINGS = {
  /** How often a waiting request looks for its email. */
  pollMs: 100,
  /** An email may be committed this long after it got its id. */
  commitMs: 60_000,
  /** How often, and at most how long, deleting waits for emails that a worker is sending at this moment. */
  deleteRetryMs: 50,
  deleteWaitMs: 5_000,
} as const;
