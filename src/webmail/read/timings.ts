import { fixed } from '../../model/fixed.ts';

/** How long reading a message for a person takes at most, in milliseconds. */
export const TIMINGS = fixed({
  /** The thread, with its start: what takes longer is shown as text. Honest messages take a hundredth of it; a busy machine takes longer for all. */
  threadAnswerMs: 10_000,
  /** For loading what reading HTML needs: half a second of processor, which a busy machine may stretch to many. */
  threadLoadMs: 60_000,
  /** For how long such a message is not tried again. */
  givenUpMs: 60_000,
  /** After so long without a question it ends, and its memory with it. */
  threadIdleMs: 600_000,
  /** With the wait for a turn. */
  readTimeoutMs: 30_000,
  /** For an image of elsewhere, with its redirects. */
  fetchMs: 10_000,
  /** For how long an image is not fetched again. */
  imageKeptMs: 600_000,
  unsubscribeMs: 10_000,
});
