import { fixed } from '../../model/fixed.ts';

/** How patient writing is, in milliseconds. */
export const TIMINGS = fixed({
  /** For how long what is sent can be taken back. */
  undoMs: 10_000,
  /** So long nobody else begins with what one process sends. One that was killed held it for no longer. */
  claimMs: 30_000,
});
