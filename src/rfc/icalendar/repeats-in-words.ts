/** Describes a recurrence rule (RFC 5545, section 3.3.10) in words. Computes no dates. */

/** A rule from ical.js. If a part of the rule has only one value, the member is that value, not a list. */
export type RecurrenceRule = Readonly<Record<string, unknown>>;

const UNITS: Readonly<Record<string, string>> = {
  SECONDLY: 'second',
  MINUTELY: 'minute',
  HOURLY: 'hour',
  DAILY: 'day',
  WEEKLY: 'week',
  MONTHLY: 'month',
  YEARLY: 'year',
};
const DAYS: Readonly<Record<string, string>> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const WEEKDAYS = 'MO TU WE TH FR';
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const ORDINALS: Readonly<Record<string, string>> = {
  '1': 'first',
  '2': 'second',
  '3': 'third',
  '4': 'fourth',
  '5': 'fifth',
  '-1': 'last',
  '-2': 'second to last',
};
/** The parts that `repeatsInWords` describes. If a rule has other parts, ", with further rules" is added. */
const DESCRIBED = new Set(['freq', 'interval', 'count', 'until', 'wkst', 'byday', 'bymonthday', 'bymonth']);
const MAX_NUMBER = 9_999;
const MAX_VALUES = 12;

/** Describes a rule, for example `Every 2 weeks on Monday and Thursday, until 5 June 2026`. */
export function repeatsInWords(rule: RecurrenceRule): string {
  const unit = UNITS[String(rule['freq'])];
  if (unit === undefined) return OTHER;
  const interval = numberOf(rule['interval']) ?? 1;
  const days = listOf(rule['byday']);
  const isWeekdays = unit === 'week' && interval === 1 && days.join(' ') === WEEKDAYS;
  const every = interval === 1 ? unit : `${interval} ${unit}s`;
  const words = [isWeekdays ? 'Every weekday' : `Every ${every}`];
  if (!isWeekdays) words.push(...daysInWords(days, listOf(rule['bymonthday'])));
  const months = listOf(rule['bymonth']).flatMap((month) => MONTHS[Number(month) - 1] ?? []);
  if (months.length > 0) words.push(`in ${joined(months)}`);
  const count = numberOf(rule['count']);
  const until = dayOf(rule['until']);
  const end = count !== null ? `, ${count} times` : until !== null ? `, until ${until}` : '';
  const more = Object.keys(rule).some((part) => !DESCRIBED.has(part)) ? ', with further rules' : '';
  return `${words.join(' ')}${more}${end}`;
}

const OTHER = 'Repeats by an unsupported rule';

function daysInWords(days: readonly string[], monthDays: readonly string[]): string[] {
  const named = days.flatMap((day) => {
    const [, ordinal = '', name = ''] = /^\+?(-?\d*)([A-Z]{2})$/.exec(day) ?? [];
    const word = DAYS[name];
    if (word === undefined) return [];
    return ordinal === '' ? [word] : [`the ${ORDINALS[ordinal] ?? `${ordinal}.`} ${word}`];
  });
  const numbered = monthDays.map((day) => (day === '-1' ? 'the last day' : `day ${day}`));
  return [
    ...(named.length > 0 ? [`on ${joined(named)}`] : []),
    ...(numbered.length > 0 ? [`on ${joined(numbered)}`] : []),
  ];
}

function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list.slice(0, MAX_VALUES).map(String);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_NUMBER
    ? value
    : null;
}

function dayOf(value: unknown): string | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(String(value)) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name === undefined ? null : `${Number(day)} ${name} ${year}`;
}

function joined(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
