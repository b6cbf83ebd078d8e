import { fixed } from '../model/fixed.ts';

/** Timings of the template thread, in milliseconds. */
export const TIMINGS = fixed({
  /** The time limit for a task. Rendering has a separate limit, but on a busy machine the largest template takes seconds to parse. */
  threadAnswerMs: 10_000,
  /** The time without work after which the thread ends. Starting the thread again takes 100 ms. */
  threadIdleMs: 60_000,
});
