import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { stepsOf } from './numbers.ts';
import { nameOf } from './words.ts';

/** Positions behind which a spreadsheet could begin a cell with a formula (OWASP, CSV injection), as in the exports of the service. */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\s"']*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g;

/** Always quoted. */
function cell(value: string | number | null): string {
  const text = typeof value === 'string' ? value.replaceAll(FORMULA, "'") : String(value ?? '');
  return `"${text.replaceAll('"', '""')}"`;
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
