import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { number, percentage } from '../../../ui/amounts.ts';
import { utc } from '../../../ui/times.ts';

const SHORT = new Intl.NumberFormat('en', { notation: 'compact' });
const DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

export const shareText = (value: number | null): string => (value === null ? '–' : percentage(value));
/** Short numbers for axes and totals. */
export const shortCount = (value: number): string => (value < 10_000 ? number(value) : SHORT.format(value));

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** A duration as text: "0.4 s", "12 s", "3.5 min". */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  const [unit, length] = UNITS.find(([, least]) => ms >= least) ?? ['s', 1_000];
  return `${DIGITS.format(ms / length)} ${unit}`;
}

const DAY_HOURS = 24;

/** The full text of a step's time range, in UTC. */
export function stepText(begin: string, hours: number): string {
  const from = new Date(begin);
  const until = new Date(from.getTime() + hours * 3_600_000);
  if (hours < DAY_HOURS) return `${utc.weekday(from)}, ${utc.time(from)} to ${utc.time(until)}`;
  if (hours === DAY_HOURS) return utc.weekday(from);
  return `${utc.dayMonth(from)} to ${utc.dayMonth(new Date(until.getTime() - 1))}`;
}

export function tickText(begin: string, hours: number): string {
  return hours === 1 ? utc.time(begin) : utc.dayMonth(begin);
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
