/** Reads and writes IMAP dates (RFC 9051, section 9: date, date-time). */
import type { Day } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY = /"?\d{1,2}-[a-z]{3}-\d{4}"?/iy;
const DAY_PARTS = /^("?)(\d{1,2})-([a-z]{3})-(\d{4})\1$/i;
const DATE_TIME = /^ ?(\d{1,2})-([a-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/i;

export function readDay(cursor: CommandCursor): Day {
  const what = 'a day, such as 1-Feb-2026';
  const [, , day, month, year] = DAY_PARTS.exec(cursor.match(DAY) ?? '') ?? cursor.needs(what);
  return dayOf(year, month, day) ?? cursor.needs(what);
}

/**
 * Parses `date-time`, with or without the space before a one-digit day. Returns null if the text is invalid, or if the year in UTC does not
 * have four digits, because responses contain dates in UTC.
 */
export function readDateTime(text: string): Date | null {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return null;
  const date = dayOf(parts[3], parts[2], parts[1]);
  const [hours, minutes, seconds, zoneHours, zoneMinutes] = [4, 5, 6, 8, 9].map((at) =>
    Number(parts[at]),
  ) as [number, number, number, number, number];
  // Second 60 is a leap second.
  if (date === null || hours > 23 || minutes > 59 || seconds > 60 || zoneMinutes > 59) return null;
  const zone = (zoneHours * 60 + zoneMinutes) * (parts[7] === '-' ? -1 : 1);
  const time = new Date(utc(date, hours, minutes - zone, seconds));
  return time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9_999 ? time : null;
}

function dayOf(year: string | undefined, month: string | undefined, day: string | undefined): Day | null {
  const at = MONTHS.findIndex((name) => name.toLowerCase() === month?.toLowerCase());
  const date = [Number(year), at + 1, Number(day)] as const;
  const isThere = at >= 0 && date[2] >= 1 && new Date(utc(date, 0, 0, 0)).getUTCMonth() === at;
  return isThere ? date : null;
}

/** Like `Date.UTC`, but does not add 1900 to years below 100. */
function utc([year, month, day]: Day, hours: number, minutes: number, seconds: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hours, minutes, seconds);
}

/** Writes `date-time`, in UTC. */
export function formatDateTime(date: Date): string {
  const [day, hours, minutes, seconds] = [
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ].map((number) => String(number).padStart(2, '0'));
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  return `"${day}-${MONTHS[date.getUTCMonth()]}-${year} ${hours}:${minutes}:${seconds} +0000"`;
}
