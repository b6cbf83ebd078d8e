/** The outcomes of a project's emails over time, for charts. */
import type { Metrics, MetricsRange, MetricsSeries } from '../../contract/dashboard/metrics.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import type { Dimension } from '../../model/dimensions.ts';
import { percentileOf } from '../counts/latency.ts';
import { readFreshness } from '../counts/read-freshness.ts';
import { isComplete, readMetrics, type SteppedPart } from '../counts/read-metrics.ts';
import type { TallyPart } from '../counts/tally.ts';

/** The steps of each range. The last step contains the current time. Steps begin at multiples of `alignMs`. */
const RANGES: Readonly<Record<MetricsRange, { steps: number; stepMs: number; alignMs: number }>> = {
  '24h': { steps: 24, stepMs: HOUR_MS, alignMs: HOUR_MS },
  '7d': { steps: 28, stepMs: 6 * HOUR_MS, alignMs: 6 * HOUR_MS },
  '30d': { steps: 30, stepMs: DAY_MS, alignMs: DAY_MS },
  '90d': { steps: 90, stepMs: DAY_MS, alignMs: DAY_MS },
  // A year is shown as whole weeks up to today.
  '1y': { steps: 52, stepMs: 7 * DAY_MS, alignMs: DAY_MS },
};

export async function readCharts(
  database: Database,
  projectId: string,
  range: MetricsRange,
  by: Dimension,
): Promise<Metrics> {
  const { steps, stepMs, alignMs } = RANGES[range];
  const endMs = Math.floor(clock.nowMs() / alignMs) * alignMs + alignMs;
  const from = new Date(endMs - steps * stepMs);
  const { countedAt, outcomesAt } = await readFreshness(database, projectId, from);
  const [all] = await readMetrics(database, { projectId, by: 'all', from, stepMs });
  const parts = by === 'all' ? [] : await readMetrics(database, { projectId, by, from, stepMs });
  return {
    range,
    by,
    counted_at: countedAt?.toISOString() ?? null,
    outcomes_at: outcomesAt?.toISOString() ?? null,
    is_complete: await isComplete(database, projectId, from),
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
