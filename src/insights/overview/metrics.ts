/** The outcomes of a project's emails over time, for charts. */
import type { Metrics, MetricsQuery, MetricsRange, MetricsSeries } from '../../contract/dashboard/metrics.ts';
import type { Read } from '../../db/fair-reads.ts';
import { validationError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import type { DimensionFilter } from '../../model/dimensions.ts';
import { percentileOf } from '../counts/latency.ts';
import { providerNames } from '../counts/mailbox-providers.ts';
import { readFilteredMetrics } from '../counts/read-filtered.ts';
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

/** @param filter counts only emails with these values of dimensions. @throws AppError validation-failed for an unknown provider */
export async function readCharts(
  read: Read,
  projectId: string,
  { range = '7d', by = 'all', ...given }: MetricsQuery,
  keepDays: number | null,
): Promise<Metrics> {
  const { from, stepMs, steps: length } = stepsOf(range);
  const query = { projectId, by, from, stepMs, steps: length, keepDays };
  const filter = filterOf(given);
  const found =
    Object.keys(filter).length === 0
      ? { ...(await read((database) => readMetrics(database, query))), firstStep: 0 }
      : await readFilteredMetrics(read, query, filter);
  const { all, parts, countedAt, outcomesAt, isComplete, retained, firstStep } = found;
  const steps = Array.from({ length: length - firstStep }, (_, at) => firstStep + at);
  return {
    range,
    by,
    counted_at: countedAt?.toISOString() ?? null,
    outcomes_at: outcomesAt?.toISOString() ?? null,
    is_complete: isComplete,
    is_shortened: firstStep > 0,
    retained_since: retainedText(retained),
    step_hours: stepMs / HOUR_MS,
    steps: steps.map((at) => new Date(from.getTime() + at * stepMs).toISOString()),
    all: seriesOf(all ?? { total: NOTHING, steps: new Map() }, steps),
    parts: parts.map((part) => seriesOf(part, steps)),
  };
}

/** The time since which all emails still exist, for a response. */
export function retainedText(retained: Date): string | null {
  return retained.getTime() === 0 ? null : retained.toISOString();
}

function filterOf({ provider: given, domain, ...others }: DimensionFilter): DimensionFilter {
  const provider = providerNames().find((name) => name.toLowerCase() === given?.toLowerCase());
  if (given !== undefined && provider === undefined)
    throw validationError({
      provider: `is not a mailbox provider; use one of ${providerNames().join(', ')}`,
    });
  return {
    ...others,
    ...(provider !== undefined && { provider }),
    ...(domain !== undefined && { domain: domain.toLowerCase() }),
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

function seriesOf({ total, steps }: SteppedPart, shown: readonly number[]): MetricsSeries {
  const each = shown.map((at) => numbersOf(steps.get(at) ?? NOTHING));
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
