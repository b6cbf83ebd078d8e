import { fixed } from '../../model/fixed.ts';

/** How long the thread that examines messages may take, and live. */
export const TIMINGS = fixed({
  /** Milliseconds until an answer, look-ups (`authenticate/timings.ts`) and all: beyond them the thread hangs. */
  answerMs: 20_000,
  /** Milliseconds without work after which the thread ends, and its memory with it. */
  idleMs: 60_000,
});
