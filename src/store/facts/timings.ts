import { fixed } from '../../model/fixed.ts';

/** How long the thread that reads large messages waits, and is waited for. */
export const TIMINGS = fixed({
  /** After this long without a large message the thread ends. Starting it takes a tenth of a second. */
  threadIdleMs: 20_000,
  /** Who takes longer, over a message that was made for it, is ended. The largest ones take less than a second. */
  threadAnswerMs: 15_000,
});
