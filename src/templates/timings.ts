import { fixed } from '../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** What a template may take is bounded within the thread; this is for what is not. On a busy machine the largest one is parsed in seconds. */
  threadAnswerMs: 10_000,
  /** Starting the thread takes a tenth of a second. */
  threadIdleMs: 60_000,
});
