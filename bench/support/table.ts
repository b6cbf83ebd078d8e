import { median } from './stats.ts';

/** The goal of a measure: for the ratio to the baseline (`ratio`), or for the value in its unit (`value`). */
export interface Goal {
  on: 'ratio' | 'value';
  sense: 'at least' | 'at most' | 'below';
  limit: number;
}

/** One line of the table. All runs are stored. The table shows the median, and the goal applies to the median. */
export interface Row {
  measure: string;
  unit: string;
  runs: readonly number[];
  baseline?: { name: string; runs: readonly number[] };
  goal?: Goal;
  /** Whether the runs alternate with runs of the baseline, so that runs with the same index form a pair. */
  isPaired?: boolean;
  /** The components of the value, shown to readers. */
  note?: string;
}

export interface JudgedRow extends Row {
  value: number;
  /** The value divided by the baseline: for paired runs, the median of the pairs' ratios; otherwise the ratio of the medians. */
  ratio: number | null;
  /** Whether the goal is met; null if the measure has no goal. */
  met: boolean | null;
}

export function judge(row: Row): JudgedRow {
  const value = median(row.runs);
  const ratio = row.baseline === undefined ? null : ratioOf(row, row.baseline.runs);
  const subject = row.goal?.on === 'ratio' ? ratio : value;
  return {
    ...row,
    value,
    ratio,
    met: row.goal === undefined || subject === null ? null : reaches(row.goal, subject),
  };
}

function ratioOf({ runs, isPaired = false }: Row, baseline: readonly number[]): number {
  if (!isPaired) return median(runs) / median(baseline);
  return median(runs.map((value, at) => value / (baseline[at] ?? Number.NaN)));
}

function reaches(goal: Goal, value: number): boolean {
  if (goal.sense === 'at least') return value >= goal.limit;
  return goal.sense === 'at most' ? value <= goal.limit : value < goal.limit;
}

const SIGNS = { 'at least': '>=', 'at most': '<=', below: '<' } as const;

function showGoal(row: Row): string {
  if (row.goal === undefined) return '';
  const unit = row.goal.on === 'ratio' ? 'x' : ` ${row.unit}`;
  return `${SIGNS[row.goal.sense]} ${row.goal.limit}${unit}`;
}

function showNumber(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  return String(Number(value.toPrecision(3)));
}

const HEADINGS = ['measure', 'value', 'baseline', 'ratio', 'goal', ''];

/** The rows as aligned text, under a heading. */
export function formatTable(rows: readonly JudgedRow[]): string {
  const lines = rows.map((row) => [
    row.note === undefined ? row.measure : `${row.measure} (${row.note})`,
    `${showNumber(row.value)} ${row.unit}`,
    row.baseline === undefined ? '' : `${row.baseline.name} ${showNumber(median(row.baseline.runs))}`,
    row.ratio === null ? '' : `${row.ratio.toFixed(2)}x`,
    showGoal(row),
    row.met === null ? '' : row.met ? 'met' : 'missed',
  ]);
  const widths = HEADINGS.map((heading, i) =>
    Math.max(heading.length, ...lines.map((line) => line[i]?.length ?? 0)),
  );
  const show = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  return [show(HEADINGS), rule, ...lines.map(show)].join('\n');
}
