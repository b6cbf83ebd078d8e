/** Days of a vacation, as fields have them. They begin at midnight UTC, and the last one counts. */
const DAY_MS = 86_400_000;
const MIDNIGHT = 'T00:00:00.000Z';

/** @param from a time as the service has it */
export function firstDay(from: string | null): string {
  return from === null ? '' : from.slice(0, 10);
}

/** @param until when it is over */
export function lastDay(until: string | null): string {
  if (until === null) return '';
  return new Date(Date.parse(until) - 1).toISOString().slice(0, 10);
}

/** @param day empty: at once @param before what stays where the day is that one's: times are set on the command line, too */
export function fromOf(day: string, before: string | null): string | null {
  if (day === firstDay(before)) return before;
  return day === '' ? null : day + MIDNIGHT;
}

/** @param day empty: until it is switched off */
export function untilOf(day: string, before: string | null): string | null {
  if (day === lastDay(before)) return before;
  return day === '' ? null : new Date(Date.parse(day + MIDNIGHT) + DAY_MS).toISOString();
}
