/** Rates and series computed from the counts, for charts and tables. */
import type { MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';

type Counts = MetricsSeries['total'];
type Value = (counts: Counts) => number | null;

/** `part` as a share of `whole`. Null if `whole` is 0, which the chart shows as a gap. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

export const bouncedOf = ({ bounced_hard, bounced_soft }: Counts): number => bounced_hard + bounced_soft;

export const onTheWay = (counts: Counts): number =>
  counts.recipients - counts.delivered - counts.failed - bouncedOf(counts);

export const bounceRate: Value = (counts) => share(bouncedOf(counts), counts.recipients);
export const hardBounceRate: Value = ({ bounced_hard, recipients }) => share(bounced_hard, recipients);
export const complaintRate: Value = ({ complained, delivered }) => share(complained, delivered);
export const openRate: Value = ({ opened_by_people, delivered }) => share(opened_by_people, delivered);
export const machineRate: Value = ({ opened_by_machines, delivered }) => share(opened_by_machines, delivered);

/** The counts of each step. */
export function stepsOf({ steps }: MetricsSeries): Counts[] {
  const names = Object.keys(steps) as (keyof Counts)[];
  return steps.recipients.map(
    (_, at) => Object.fromEntries(names.map((name) => [name, steps[name][at] ?? null])) as Counts,
  );
}

export function valuesOf<Of extends number | null>(
  series: MetricsSeries,
  value: (counts: Counts) => Of,
): Of[] {
  return stepsOf(series).map(value);
}
