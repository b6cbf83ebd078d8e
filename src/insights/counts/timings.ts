import { DAY_MS } from '../../model/day.ts';
import { fixed } from '../../model/fixed.ts';

/** When emails are counted, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** Pause between counting passes, and the time limit of one pass. */
  scanMs: 15_000,
  lookLongestMs: 60_000,
  /** Each step is followed by a rest this many times as long: the work takes a tenth of one connection's time. */
  rest: 9,
  /** An hour is recounted after this long, and then whenever its age has grown by this share. */
  againMs: 60_000,
  againShare: 0.25,
  /** Outcomes of older emails are no longer counted. */
  oldMs: 35 * DAY_MS,
  /** Counts by dimension are kept per hour at least this long, and longer while the hour is recounted. */
  keepHoursMs: 8 * DAY_MS,
  /** How long counts are kept. */
  keepMs: 400 * DAY_MS,
});
