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
const exact = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'long',
});

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

/** In the time zone of the browser, which is named. */
export function exactTime(value: string): string {
  return exact.format(new Date(value));
}
