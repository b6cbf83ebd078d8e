/** Rates and series computed from the counts, for charts and tables. */
import type { EmailOutcome } from '../../../../src/contract/dashboard/email-log.ts';
import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';

type Counts = MetricsSeries['total'];
type Value = (counts: Counts) => number | null;

/** `part` as a share of `whole`. Null if `whole` is 0, which the chart shows as a gap. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

const bouncedOf = ({ bounced_hard, bounced_soft }: Counts): number => bounced_hard + bounced_soft;

const onTheWay = (counts: Counts): number =>
  counts.recipients - counts.delivered - counts.failed - bouncedOf(counts);

/** The numbers of recipients, by the outcome that finds them. */
export const COUNTS = {
  any: ({ recipients }) => recipients,
  delivered: ({ delivered }) => delivered,
  pending: onTheWay,
  bounced: bouncedOf,
  hard: ({ bounced_hard }) => bounced_hard,
  failed: ({ failed }) => failed,
  complained: ({ complained }) => complained,
  'opened-by-people': ({ opened_by_people }) => opened_by_people,
  'opened-by-machines': ({ opened_by_machines }) => opened_by_machines,
  clicked: ({ clicked }) => clicked,
} as const satisfies Partial<Record<EmailOutcome, (counts: Counts) => number>>;
export type CountedOutcome = keyof typeof COUNTS;

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

/** The time range of a step. */
export function stepRange(
  { steps, step_hours }: Pick<Metrics, 'steps' | 'step_hours'>,
  at: number,
): { since: string; until: string } {
  const since = steps[at] ?? '';
  return { since, until: new Date(Date.parse(since) + step_hours * 3_600_000).toISOString() };
}

export function valuesOf<Of extends number | null>(
  series: MetricsSeries,
  value: (counts: Counts) => Of,
): Of[] {
  return stepsOf(series).map(value);
}
