import { fixed } from '../../../model/fixed.ts';

/** Time limits for small images of attached images. */
export const TIMINGS = fixed({
  /** Time limit for one image, including the start of the thread. A photograph takes less than a second; a hostile image is aborted. */
  threadAnswerMs: 8_000,
  /** The thread ends after this long without an image, to free the memory of the codecs. */
  threadIdleMs: 20_000,
  /** Time limit for the wait for other images. */
  waitMs: 30_000,
});
