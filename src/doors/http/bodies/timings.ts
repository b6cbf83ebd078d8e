import { fixed } from '../../../model/fixed.ts';

/** How long the thread that reads large bodies waits. */
export const TIMINGS = fixed({
  /** After this long without a large body the thread ends. Starting it takes a tenth of a second. */
  threadIdleMs: 20_000,
});
