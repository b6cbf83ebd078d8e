import { fixed } from '../../../model/fixed.ts';

/** Timings of the thread that reads large bodies. */
export const TIMINGS = fixed({
  /** The thread ends after this time without a large body. Starting a thread takes a tenth of a second. */
  threadIdleMs: 20_000,
});
