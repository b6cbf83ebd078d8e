import { fixed } from '../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** The thread limits templates itself; this limit is for the rest. On a busy machine the largest template is parsed in seconds. */
  threadAnswerMs: 10_000,
  /** Starting the thread takes a tenth of a second. */
  threadIdleMs: 60_000,
});
