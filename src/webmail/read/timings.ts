import { fixed } from '../../model/fixed.ts';

/** Time limits for reading messages for display. */
export const TIMINGS = fixed({
  /**
   * Time limit of the thread for one task, including the start of the thread. HTML that takes longer is shown as text. Ordinary messages
   * take a hundredth of this time, and more on a busy machine.
   */
  threadAnswerMs: 10_000,
  /** Time limit for loading the modules that read HTML. Loading takes half a second of CPU time, and much longer on a busy machine. */
  threadLoadMs: 60_000,
  /** The time for which a message that took too long is not read again. */
  abandonedMs: 60_000,
  /** The thread ends after this long without a task, to free its memory. */
  threadIdleMs: 600_000,
  /** Time limit for a read, including the wait in the queue. */
  readTimeoutMs: 30_000,
  /** Time limit for fetching a remote image, including redirects. */
  fetchMs: 10_000,
  /** The time for which a remote image is cached. */
  imageCachedMs: 600_000,
  unsubscribeMs: 10_000,
});
