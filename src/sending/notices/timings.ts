import { fixed } from '../../model/fixed.ts';

const MINUTE_MS = 60_000;

/** In milliseconds. */
export const TIMINGS = fixed({
  /** Recipients of one message that fail within this are told of together. Where none is left to wait for, nobody waits. */
  gatherMs: 30_000,
  /** After so long an owner is told that a message waits. */
  delayMs: 240 * MINUTE_MS,
});
