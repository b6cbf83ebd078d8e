import { fixed } from '../../model/fixed.ts';

/** Time limits for the thread that examines messages. */
export const TIMINGS = fixed({
  /**
   * Maximum milliseconds until an answer, including DNS look-ups (`authenticate/timings.ts`). A thread that takes longer counts as hung.
   */
  answerMs: 20_000,
  /** Milliseconds without work after which the thread ends and frees its memory. */
  idleMs: 60_000,
});
