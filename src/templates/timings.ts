import { fixed } from '../model/fixed.ts';

/** Timings of templates, in milliseconds. */
export const TIMINGS = fixed({
  /**
   * The time limit for a task of the thread. It is this long because parsing the largest template takes seconds on a busy machine. Rendering has a
   * shorter limit of its own.
   */
  threadAnswerMs: 10_000,
  /** The time without work after which the thread ends. Starting the thread again takes 100 ms. */
  threadIdleMs: 60_000,
  /** The time for which uses of templates are collected before one statement writes them. */
  usesDelayMs: 1_000,
  /** The time limit for checking all templates that use a layout or a partial before it is published. */
  recomposeMs: 60_000,
});
