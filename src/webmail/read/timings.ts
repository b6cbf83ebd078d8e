/** How long reading a message for a person takes at most, in milliseconds. */
export const TIMINGS = {
  /** The thread: what takes longer is shown as text. */
  threadAnswerMs: 4_000,
  /** After so long without a question it ends, and its memory with it. */
  threadIdleMs: 600_000,
  /** With the wait for a turn. */
  readTimeoutMs: 15_000,
  /** For an image of elsewhere, with its redirects. */
  fetchMs: 10_000,
  /** For how long an image is not fetched again. */
  imageKeptMs: 600_000,
  unsubscribeMs: 10_000,
};
