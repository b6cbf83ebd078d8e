import { fixed } from '../../model/fixed.ts';

const MINUTE_MS = 60_000;

/** In milliseconds. */
export const TIMINGS = fixed({
  /** Recipients of one message that finish within this time share a notice. If none is unfinished, the notice is sent at once. */
  gatherMs: 30_000,
  /** The age from which the owner of an undelivered message gets a delay notice. */
  delayMs: 240 * MINUTE_MS,
});
