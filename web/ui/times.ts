/** Times as text. */

const UNITS = [
  ['year', 31_557_600_000],
  ['month', 2_629_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;
const NOW_MS = 45_000;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const TIME = { hour: '2-digit', minute: '2-digit' } as const;

/** Every page writes dates and times in these formats. Each example shows the whole text. */
const formatsIn = (timeZone?: string) => {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat('en-GB', {
      ...options,
      ...(timeZone !== undefined && { timeZone }),
    });
    return (value: string | number | Date): string => formatter.format(new Date(value));
  };
  const weekday = format({ weekday: 'short' });
  const dayMonth = format({ day: 'numeric', month: 'short' });
  return {
    /** "14:03" */
    time: format(TIME),
    /** "14:03:07" */
    second: format({ ...TIME, second: '2-digit' }),
    /** "14:03:07.431" */
    clock: format({ ...TIME, second: '2-digit', fractionalSecondDigits: 3 }),
    /** "3 Nov". Use only where the year is obvious. */
    dayMonth,
    /** "Mon, 3 Nov". Use only where the year is obvious. Without a year, Intl would leave out the comma. */
    weekday: (value: string | number | Date) => `${weekday(value)}, ${dayMonth(value)}`,
    /** "Mon, 14:03". Use only for times within a week. */
    weekdayTime: format({ weekday: 'short', ...TIME }),
    /** "3 Nov 2025" */
    date: format(DATE),
    /** "Mon, 3 Nov 2025, 14:03" */
    dateTime: format({ weekday: 'short', ...DATE, ...TIME }),
    /** "3 Nov 2025, 14:03:07 CET" */
    exact: format({ dateStyle: 'medium', timeStyle: 'long' }),
  };
};

/** Formats in the time zone of the browser. */
export const local = formatsIn();
/** Formats in UTC, for values that are counted per UTC hour or day. */
export const utc = formatsIn('UTC');

/** "04:19" if it is a time of today, otherwise "3 Nov 2025, 04:19". @param now in ms */
export function sinceTime(value: string, now: number): string {
  const date = local.date(value);
  return date === local.date(now) ? local.time(value) : `${date}, ${local.time(value)}`;
}

/** "5 min. ago", "in 2 hr.", or "just now" within 45 seconds. @param now in ms */
export function relativeTime(value: string, now: number): string {
  const difference = Date.parse(value) - now;
  const size = Math.abs(difference);
  if (size < NOW_MS) return difference > 0 ? 'in a moment' : 'just now';
  const [unit, length] = UNITS.find(([, ms]) => size >= ms) ?? ['minute', 60_000];
  return relative
    .format(Math.sign(difference) * Math.max(1, Math.round(size / length)), unit)
    .replace('.', '');
}

/**
 * The time between two events: "+0.32 s", "+4 min 10 s", "+3 hr 5 min" or "+2 days 1 hr". Clocks of different
 * processes differ, so a value before `earlier` counts as the same time.
 */
export function delta(value: string, earlier: string): string {
  const ms = Math.max(0, Date.parse(value) - Date.parse(earlier));
  if (ms < 60_000) return `+${Math.min(59.99, Math.round(ms / 10) / 100).toFixed(2)} s`;
  const minutes = Math.floor(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (hours === 0) return parts([minutes, 'min'], [Math.floor(ms / 1_000) % 60, 's']);
  if (days === 0) return parts([hours, 'hr'], [minutes % 60, 'min']);
  return parts([days, days === 1 ? 'day' : 'days'], [hours % 24, 'hr']);
}

function parts(...[large, small]: [[number, string], [number, string]]): string {
  return `+${large.join(' ')}${small[0] === 0 ? '' : ` ${small.join(' ')}`}`;
}
