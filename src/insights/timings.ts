import { fixed } from '../model/fixed.ts';

/** Time limits for showing an email, in milliseconds. */
export const TIMINGS = fixed({
  /** Reading from the database, including the wait for a connection. */
  readTimeoutMs: 5_000,
  /** A check in the worker thread that takes longer is abandoned. */
  threadAnswerMs: 10_000,
  /** After this long without a task, the worker thread ends, which frees its memory. */
  threadIdleMs: 60_000,
});
