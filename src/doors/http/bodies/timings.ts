import { fixed } from '../../../model/fixed.ts';

/** Timings of the thread that reads large bodies. */
export const TIMINGS = fixed({
  /** The thread ends after this time without a large body. A thread takes a tenth of a second to start. */
  threadIdleMs: 20_000,
});
