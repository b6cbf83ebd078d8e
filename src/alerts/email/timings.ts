import { fixed } from '../../model/fixed.ts';

/** Durations in milliseconds. */
export const TIMINGS = fixed({
  /** The time for one message, from waiting for a slot to the reply. After this time, its final dot is no longer written. */
  deadlineMs: 60_000,
});
