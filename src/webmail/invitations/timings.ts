import { fixed } from '../../model/fixed.ts';

/** Time limits of the thread that parses calendars. */
export const TIMINGS = fixed({
  /** The thread ends after this long without an invitation. */
  threadIdleMs: 20_000,
  /**
   * Time limit for one calendar, including the start of the thread. Ordinary calendars take milliseconds; a malicious calendar is aborted.
   */
  threadAnswerMs: 5_000,
});
