/** How patient the service is with the place of its objects, in milliseconds. */
export const TIMINGS = {
  connectMs: 5_000,
  /** For one request with its whole answer: 40 MiB at 2 MiB a second. */
  requestMs: 20_000,
  /** Before the second try; each later one waits twice as long. */
  retryMs: 200,
};
