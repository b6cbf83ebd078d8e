import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** What doctor found is shown for so long before it looks again. */
  doctorKeptMs: 5 * 60_000,
  /** A check takes 20 s at the most, and all of them run at once. */
  threadAnswerMs: 60_000,
  /** The thread ends at once: its next run is minutes away. */
  threadIdleMs: 0,
  /** A page does not wait longer for what it shows. */
  readTimeoutMs: 5_000,
  /** Between looks whether more is to be logged. */
  logLevelLookMs: 2_000,
});
