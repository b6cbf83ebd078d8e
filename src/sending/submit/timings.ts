import { fixed } from '../../model/fixed.ts';

/** Timings in milliseconds. */
export const TIMINGS = fixed({
  /** The timeout of the thread. A message of 40 MiB takes half a second on a busy machine. */
  threadAnswerMs: 20_000,
  threadIdleMs: 10_000,
});
