import { fixed } from '../../model/fixed.ts';

/** In milliseconds. */
export const TIMINGS = fixed({
  /** A message of 40 MiB takes half a second on a busy machine. */
  threadAnswerMs: 20_000,
  threadIdleMs: 10_000,
});
