import { fixed } from '../../model/fixed.ts';

/** When emails are indexed, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** Pause between indexing passes, and the time limit of one pass. */
  scanMs: 2_000,
  lookLongestMs: 60_000,
  /** Each step is followed by a rest this many times as long: the work takes a sixtieth of one processor's and one connection's time. */
  rest: 59,
  /** Younger emails are searched one by one: the transactions of earlier ones have nearly always ended by this age. */
  minAgeMs: 5_000,
  /** By this age all transactions have ended: a segment that lacks an email is rebuilt. */
  settledMs: 90_000,
});
