import type { Metrics, MetricsSeries } from '../../../api/schema.ts';
import { stepsOf } from './numbers.ts';
import { nameOf } from './words.ts';

/** What a spreadsheet would take for a formula begins so (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line for each step, or for each step of each part. Names are those of the API; times to delivery are milliseconds. */
export function csvOf({ all, by, parts, steps }: Metrics): string {
  const columns = Object.keys(all.total) as (keyof MetricsSeries['total'])[];
  const isCompared = by !== 'all';
  const head = ['from', ...(isCompared ? [by] : []), ...columns];
  const lines = (isCompared ? parts : [all]).flatMap((part) =>
    stepsOf(part).map((counts, at) => [
      steps[at] ?? '',
      ...(isCompared ? [nameOf(part, by)] : []),
      ...columns.map((name) => counts[name]),
    ]),
  );
  return [head, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
