import { DAY_MS } from '../../model/day.ts';
import { fixed } from '../../model/fixed.ts';
import { COUNTED_FOR_MS } from '../../sending/events/changed-hours.ts';

/** Times of counting emails, in milliseconds, except `rest`. */
export const TIMINGS = fixed({
  /** Pause between counting passes, and the time limit for one pass. */
  scanMs: 15_000,
  maxPassMs: 60_000,
  /** See `BackgroundScanOptions`. New emails wake the counter, and hours that are due are found by the poll of the worker. */
  idleMs: 60_000,
  /**
   * The time that the counter rests after each step, as a multiple of the duration of the step. With this rest, counting takes a tenth of
   * one connection's time.
   */
  rest: 9,
  /** An hour is counted again after `recountGrowth` times its age (the time since its end), but not before this time has passed. */
  recountAfterMs: 60_000,
  recountGrowth: 0.25,
  /** If an email of an hour changed, the hour is counted again after `markGrowth` times its age. Changed hours are marked every `markMs`. */
  markGrowth: 0.1,
  markMs: 20_000,
  /** The age at which an hour is counted for the last time. */
  oldMs: COUNTED_FOR_MS,
  /** The minimum retention of hourly counts by dimension. They are retained longer while the hour is recounted. */
  keepHoursMs: 8 * DAY_MS,
  /** The retention of counts. */
  keepMs: 400 * DAY_MS,
});
