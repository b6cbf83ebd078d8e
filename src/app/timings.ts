import { fixed } from '../model/fixed.ts';

/** How long roles wait, in milliseconds. */
export const TIMINGS = fixed({
  /** Before a port is tried again that somebody else had by the time that the certificate came. */
  portAgainMs: 5_000,
});
