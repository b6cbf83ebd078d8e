import { fixed } from '../model/fixed.ts';

/** Time limits for showing an email, in milliseconds. */
export const TIMINGS = fixed({
  /** The time limit for reading from the database, including the wait for a connection. */
  readTimeoutMs: 5_000,
  /** The time limit for a check in the worker thread. A check that takes longer is abandoned. */
  threadAnswerMs: 10_000,
  /** The time without a task after which the worker thread ends to free its memory. */
  threadIdleMs: 60_000,
});
