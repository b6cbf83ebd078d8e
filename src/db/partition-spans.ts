/** How long a time one partition is for, and when it is made. */
import { DAY_MS } from '../model/day.ts';

/** The partition of a time is there so long before. */
export const AHEAD_MS = 2 * DAY_MS;
/** What is kept for so many days at most goes by days, or by weeks. Else the parts would be many, or what is dropped at once be late. */
const DAYS_BY_DAY = 31;
const DAYS_BY_WEEK = 366;
/** 1970-01-05 was the first Monday. */
const MONDAY_MS = 4 * DAY_MS;

/**
 * The first moment after `after` at which a partition may end: midnight (UTC) of a day, a Monday, or the first of a month.
 * @param keepDays for how long emails are kept; null: for ever
 */
export function nextBound(after: Date, keepDays: number | null): Date {
  if (keepDays === null || keepDays > DAYS_BY_WEEK)
    return new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth() + 1));
  const [offsetMs, spanMs] = keepDays > DAYS_BY_DAY ? [MONDAY_MS, 7 * DAY_MS] : [0, DAY_MS];
  return new Date((Math.floor((after.getTime() - offsetMs) / spanMs) + 1) * spanMs + offsetMs);
}
