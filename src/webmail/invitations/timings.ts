import { fixed } from '../../model/fixed.ts';

/** How long the thread that reads calendars waits, and is waited for. */
export const TIMINGS = fixed({
  /** After this long without an invitation the thread ends. */
  threadIdleMs: 20_000,
  /** Who takes longer, over a calendar that was made for it, is ended. An honest one takes milliseconds, and the start of the thread a moment. */
  threadAnswerMs: 5_000,
});
