import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';

const NUMBERS = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });
const SHARES = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });
const DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

export const countText = (value: number): string => NUMBERS.format(value);
export const shareText = (value: number | null): string => (value === null ? '–' : SHARES.format(value));
/** Short numbers for axes and totals. */
export const shortCount = (value: number): string =>
  value < 10_000 ? countText(value) : SHORT.format(value);

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** "0.4 s", "12 s", "3.5 min" */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  const [unit, length] = UNITS.find(([, least]) => ms >= least) ?? ['s', 1_000];
  return `${DIGITS.format(ms / length)} ${unit}`;
}

const DAY = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const DATE = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const HOUR = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});
const DAY_HOURS = 24;

/** The full text of a step's time range, in UTC. */
export function stepText(begin: string, hours: number): string {
  const from = new Date(begin);
  const until = new Date(from.getTime() + hours * 3_600_000);
  if (hours < DAY_HOURS) return `${DAY.format(from)}, ${HOUR.format(from)} to ${HOUR.format(until)}`;
  if (hours === DAY_HOURS) return DAY.format(from);
  return `${DATE.format(from)} to ${DATE.format(new Date(until.getTime() - 1))}`;
}

export function tickText(begin: string, hours: number): string {
  return (hours === 1 ? HOUR : DATE).format(new Date(begin));
}

/** The name of a part. */
export function nameOf(
  { name, is_rest }: Pick<MetricsSeries, 'name' | 'is_rest'>,
  by: Metrics['by'],
): string {
  if (is_rest) return by === 'provider' ? 'Other providers' : `Other ${by}s`;
  if (name !== '') return name;
  return by === 'tag' ? 'No tag' : 'All';
}
