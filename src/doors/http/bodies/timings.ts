import { fixed } from '../../../model/fixed.ts';

/** Timings of the thread that reads large bodies. */
export const TIMINGS = fixed({
  /** The thread ends after this long without a large body. Starting it takes a tenth of a second. */
  threadIdleMs: 20_000,
});
