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
