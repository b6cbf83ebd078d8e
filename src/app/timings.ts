/** How long roles wait, in milliseconds. */
export const TIMINGS = {
  /** Before a port is tried again that somebody else had by the time that the certificate came. */
  portAgainMs: 5_000,
};
