import { fixed } from '../model/fixed.ts';

/** Timings of the template thread, in milliseconds. */
export const TIMINGS = fixed({
  /** The time limit of a task. The thread limits the rendering itself, but on a busy machine the largest template takes seconds to parse. */
  threadAnswerMs: 10_000,
  /** The thread ends after this long without work, and takes 100 ms to start again. */
  threadIdleMs: 60_000,
});
