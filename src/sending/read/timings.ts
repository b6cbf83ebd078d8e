/** How long reading waits, in milliseconds. */
export const TIMINGS = {
  /** A list that takes longer is given up, with its statement: whoever asked has gone, and others want the connection. */
  listTimeoutMs: 3_000,
  /** One email that takes longer, with the wait for its turn, is given up. */
  emailTimeoutMs: 3_000,
};
