import { fixed } from '../../model/fixed.ts';

/** Time limits for writing messages for receivers. */
export const TIMINGS = fixed({
  /** Time limit of the thread for one message. The largest messages take a second. */
  threadAnswerMs: 15_000,
  /** The thread ends after this long without a message, to free its memory. */
  threadIdleMs: 60_000,
  /** Time limit for a message, including the wait for the thread. */
  formatMs: 60_000,
});
