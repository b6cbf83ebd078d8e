import { DAY_MS } from '../../model/day.ts';
import { fixed } from '../../model/fixed.ts';

/** When emails are counted, in milliseconds, but for `rest`. */
export const TIMINGS = fixed({
  /** Between the end of a look for what is to be counted and the next one; and so long a look goes on, whatever is left. */
  lookMs: 15_000,
  lookLongestMs: 60_000,
  /** A step is followed by a rest that is so many times as long: a tenth of one connection's time. */
  rest: 9,
  /** An hour is counted again after this long, and later ones when it is older by this share. */
  againMs: 60_000,
  againShare: 0.25,
  /** What happens to older emails is not counted any more. */
  oldMs: 35 * DAY_MS,
  /** What is told apart by more than the hour is kept by the hour for so long at least, and longer while it is counted again. */
  keepHoursMs: 8 * DAY_MS,
  /** So long counts are kept. */
  keepMs: 400 * DAY_MS,
});
