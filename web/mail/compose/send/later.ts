/** Suggested times for sending, in the browser's time zone. */
import { local } from '../../../ui/times.ts';

export interface Choice {
  label: string;
  at: Date;
}

const MORNING = 8;
const AFTERNOON = 13;
const EVENING = 18;
const MONDAY = 1;
/** Suggested times are at least this far in the future. */
const MIN_AHEAD_MS = 30 * 60_000;

export function choicesAt(now: Date): Choice[] {
  const day = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const toMonday = (MONDAY + 7 - now.getDay()) % 7 || 7;
  const choices = [
    { label: 'This afternoon', at: day(0, AFTERNOON) },
    { label: 'This evening', at: day(0, EVENING) },
    { label: 'Tomorrow morning', at: day(1, MORNING) },
    { label: 'Tomorrow afternoon', at: day(1, AFTERNOON) },
    // On a Sunday "Monday morning" is the same time as "Tomorrow morning".
    ...(toMonday > 1 ? [{ label: 'Monday morning', at: day(toMonday, MORNING) }] : []),
  ];
  return choices.filter(({ at }) => at.getTime() - now.getTime() >= MIN_AHEAD_MS);
}

/** A time as the value of a date and time field: 2026-11-23T08:00. */
export function toField(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The error message for a time; null if the time is valid. */
export function problemOf(field: string, now: Date, maxDays: number): string | null {
  const at = new Date(field);
  if (Number.isNaN(at.getTime())) return 'Enter a date and a time.';
  if (at <= now) return 'This time is in the past. Choose a later one.';
  if (at.getTime() - now.getTime() > maxDays * 86_400_000) return `Choose a time within ${maxDays} days.`;
  return null;
}

/** A time as text: "Tue, 24 Nov, 08:00". Includes the year if it is not the current year. */
export function timeWords(at: Date): string {
  return at.getFullYear() === new Date().getFullYear()
    ? `${local.weekday(at)}, ${local.time(at)}`
    : local.dateTime(at);
}

/** The time zone of the browser: "Europe/Berlin". */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
