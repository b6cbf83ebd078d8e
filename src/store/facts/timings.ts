import { fixed } from '../../model/fixed.ts';

/** Time limits of the thread that reads large messages. */
export const TIMINGS = fixed({
  /** The thread ends after this long without a large message. Starting a thread takes 0.1 s. */
  threadIdleMs: 20_000,
  /** Time limit for one message. The largest ordinary messages take less than a second; a malicious one is aborted. */
  threadAnswerMs: 15_000,
});
