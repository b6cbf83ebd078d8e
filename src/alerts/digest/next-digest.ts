import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { offsetAt, offsetOf } from '../../rfc/icalendar/calendar-time.ts';

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * DAY_MS;
/** The hour of the day, in the time zone of the subscriber. */
const HOUR = 8;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** The first Monday, 08:00 in the time zone, after a moment. @param timeZone an IANA name */
export function nextDigestAt(afterMs: number, timeZone: string): Date {
  const wallMs = afterMs + offsetOf(timeZone, afterMs) * MINUTE_MS;
  const sinceFirstMs = wallMs - FIRST_MONDAY_MS - HOUR * HOUR_MS;
  const nextMs = FIRST_MONDAY_MS + HOUR * HOUR_MS + (Math.floor(sinceFirstMs / WEEK_MS) + 1) * WEEK_MS;
  return new Date(nextMs - offsetAt(timeZone, nextMs) * MINUTE_MS);
}

/** The last Monday, 08:00 in the time zone, at or before a moment. */
export function lastDigestAt(nowMs: number, timeZone: string): Date {
  // A week may be an hour longer or shorter than seven days, so the search begins on the Sunday before.
  return nextDigestAt(nextDigestAt(nowMs, timeZone).getTime() - 8 * DAY_MS, timeZone);
}
