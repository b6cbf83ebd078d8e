import { DAY_MS } from '../../model/day.ts';
import { fixed } from '../../model/fixed.ts';

/** Times of counting emails, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** Pause between counting passes, and the time limit of one pass. */
  scanMs: 15_000,
  lookLongestMs: 60_000,
  /** After each step, the counter rests for this many times the duration of the step. The work then takes a tenth of one connection's time. */
  rest: 9,
  /** An hour is first recounted after this long, and then whenever its age has grown by `againShare`. */
  againMs: 60_000,
  againShare: 0.25,
  /** Outcomes of older emails are no longer counted. */
  oldMs: 35 * DAY_MS,
  /** Counts by dimension are retained per hour for at least this long, and longer while the hour is recounted. */
  keepHoursMs: 8 * DAY_MS,
  /** The retention of counts. */
  keepMs: 400 * DAY_MS,
});
