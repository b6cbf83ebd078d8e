import { fixed } from '../model/fixed.ts';

/** How long looking at an email takes at most, in milliseconds. */
export const TIMINGS = fixed({
  /** Reading from the database, with the wait for a turn. */
  readTimeoutMs: 5_000,
  /** The thread that looks at contents: what takes longer is given up. */
  threadAnswerMs: 10_000,
  /** After so long without a question it ends, and its memory with it. */
  threadIdleMs: 60_000,
});
