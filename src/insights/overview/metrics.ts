/** The outcomes of a project's emails over time, for charts. */
import type { Metrics, MetricsRange, MetricsSeries } from '../../contract/dashboard/metrics.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import type { Dimension } from '../../model/dimensions.ts';
import { percentileOf } from '../counts/latency.ts';
import { readMetrics, type SteppedPart } from '../counts/read-metrics.ts';
import type { TallyPart } from '../counts/tally.ts';

/** The length of each range in units, an hour or a day (UTC) that begins at midnight. The last unit contains the current time. */
const RANGES: Readonly<Record<MetricsRange, { units: number; unitMs: number; stepMs: number }>> = {
  '24h': { units: 24, unitMs: HOUR_MS, stepMs: HOUR_MS },
  '7d': { units: 7, unitMs: DAY_MS, stepMs: 6 * HOUR_MS },
  '30d': { units: 30, unitMs: DAY_MS, stepMs: DAY_MS },
  '90d': { units: 90, unitMs: DAY_MS, stepMs: DAY_MS },
  // A year is shown as whole weeks up to today.
  '1y': { units: 52 * 7, unitMs: DAY_MS, stepMs: 7 * DAY_MS },
};

/** The start of a range, and the number of its steps up to now. @param stepMs the length of a step */
export function stepsOf(range: MetricsRange, stepMs: number = RANGES[range].stepMs) {
  const { units, unitMs } = RANGES[range];
  const nowMs = clock.nowMs();
  const from = new Date((Math.floor(nowMs / unitMs) + 1 - units) * unitMs);
  return { from, stepMs, steps: Math.floor((nowMs - from.getTime()) / stepMs) + 1 };
}

export async function readCharts(
  database: Database,
  projectId: string,
  range: MetricsRange,
  by: Dimension,
  keepDays: number | null,
): Promise<Metrics> {
  const { from, stepMs, steps } = stepsOf(range);
  const query = { projectId, by, from, stepMs, steps, keepDays };
  const { all, parts, countedAt, outcomesAt, isComplete } = await readMetrics(database, query);
  return {
    range,
    by,
    counted_at: countedAt?.toISOString() ?? null,
    outcomes_at: outcomesAt?.toISOString() ?? null,
    is_complete: isComplete,
    step_hours: stepMs / HOUR_MS,
    steps: Array.from({ length: steps }, (_, at) => new Date(from.getTime() + at * stepMs).toISOString()),
    all: seriesOf(all ?? { total: NOTHING, steps: new Map() }, steps),
    parts: parts.map((part) => seriesOf(part, steps)),
  };
}

const NOTHING: TallyPart = {
  dimension: 'all',
  value: '',
  isRest: false,
  emails: 0,
  recipients: 0,
  delivered: 0,
  bouncedHard: 0,
  bouncedSoft: 0,
  complained: 0,
  failed: 0,
  clicked: 0,
  openedByPeople: 0,
  openedByMachines: 0,
  latency: [],
};

function seriesOf({ total, steps }: SteppedPart, length: number): MetricsSeries {
  const each = Array.from({ length }, (_, at) => numbersOf(steps.get(at) ?? NOTHING));
  const numbers = numbersOf(total);
  const column = <Name extends keyof typeof numbers>(name: Name) => each.map((step) => step[name]);
  return {
    name: total.value,
    is_rest: total.isRest,
    total: numbers,
    steps: {
      emails: column('emails'),
      recipients: column('recipients'),
      delivered: column('delivered'),
      bounced_hard: column('bounced_hard'),
      bounced_soft: column('bounced_soft'),
      complained: column('complained'),
      failed: column('failed'),
      clicked: column('clicked'),
      opened_by_people: column('opened_by_people'),
      opened_by_machines: column('opened_by_machines'),
      p50: column('p50'),
      p90: column('p90'),
      p99: column('p99'),
    },
  };
}

function numbersOf(part: TallyPart): MetricsSeries['total'] {
  const { emails, recipients, delivered, complained, failed, clicked, latency } = part;
  return {
    emails,
    recipients,
    delivered,
    complained,
    failed,
    clicked,
    bounced_hard: part.bouncedHard,
    bounced_soft: part.bouncedSoft,
    opened_by_people: part.openedByPeople,
    opened_by_machines: part.openedByMachines,
    p50: percentileOf(latency, 0.5),
    p90: percentileOf(latency, 0.9),
    p99: percentileOf(latency, 0.99),
  };
}
