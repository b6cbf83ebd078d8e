import { fixed } from '../../model/fixed.ts';

const MINUTE_MS = 60_000;

/** Timings in milliseconds. */
export const TIMINGS = fixed({
  /** Recipients of one message that finish within this time share a notice. If all recipients are finished, the notice is sent at once. */
  gatherMs: 30_000,
  /** The owner of a message that is undelivered at this age gets a delay notice. */
  delayMs: 240 * MINUTE_MS,
});
