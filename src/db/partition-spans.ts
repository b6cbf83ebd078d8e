/** The period that one partition covers, and the time at which the partition is created. */
import { DAY_MS } from '../model/day.ts';

/** A partition is created this long before its period begins. */
export const AHEAD_MS = 2 * DAY_MS;
/**
 * Partitions are daily for a retention of at most `DAYS_BY_DAY`, weekly up to `DAYS_BY_WEEK`, and monthly above. Shorter periods would
 * create too many partitions, and longer periods would delete emails too late.
 */
const DAYS_BY_DAY = 31;
const DAYS_BY_WEEK = 366;
/** 1970-01-05 was the first Monday. */
const MONDAY_MS = 4 * DAY_MS;

/**
 * The first time after `after` at which a partition may end: midnight (UTC) at the start of a day, a Monday, or the first day of a month.
 * @param keepDays retention of emails in days; null: unlimited
 */
export function nextBound(after: Date, keepDays: number | null): Date {
  if (keepDays === null || keepDays > DAYS_BY_WEEK)
    return new Date(Date.UTC(after.getUTCFullYear(), after.getUTCMonth() + 1));
  const [offsetMs, spanMs] = keepDays > DAYS_BY_DAY ? [MONDAY_MS, 7 * DAY_MS] : [0, DAY_MS];
  return new Date((Math.floor((after.getTime() - offsetMs) / spanMs) + 1) * spanMs + offsetMs);
}
