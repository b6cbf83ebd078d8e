import { fixed } from '../../model/fixed.ts';

/** When emails are indexed, in milliseconds, but for `rest`. */
export const TIMINGS = fixed({
  /** Between the end of a look for what is to be indexed and the next one; and so long a look goes on, whatever is left. */
  lookMs: 2_000,
  lookLongestMs: 60_000,
  /** A step is followed by a rest that is so many times as long: a sixtieth of one processor, and of one connection's time. */
  rest: 59,
  /** Younger emails are looked at one by one: the transactions of those before them are over, nearly always. */
  minAgeMs: 5_000,
  /** By then all are over: a segment that lacks an email is made again. */
  settledMs: 90_000,
});
