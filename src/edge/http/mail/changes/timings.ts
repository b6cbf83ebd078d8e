export const TIMINGS = {
  /** Between two events of one stream. */
  betweenEventsMs: 300,
  /** Between looks whether the session of a stream lives. */
  sessionLookMs: 1_000,
  /** Every so many looks something is said. */
  looksOfHeartbeat: 20,
};
