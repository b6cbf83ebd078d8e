/** The outcomes of a project's emails over time, for charts. */
import { Type } from 'typebox';
import { DIMENSIONS } from '../../model/dimensions.ts';
import { STREAMS } from '../../model/streams.ts';
import { Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { CountedAt, OutcomesAt, RetainedSince } from './freshness.ts';

const RANGES = ['24h', '7d', '30d', '90d', '1y'] as const;
export type MetricsRange = (typeof RANGES)[number];

const Filter = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

export const MetricsQuery = Type.Object(
  {
    range: Type.Optional(Words(RANGES, { description: 'The time range. Default: 7d.' })),
    by: Type.Optional(Words(DIMENSIONS, { description: 'The dimension to group by; `all`: no grouping.' })),
    domain: Filter('Only emails from this domain.'),
    provider: Filter('Only recipients at this mailbox provider; `other`: at none of the known ones.'),
    stream: Type.Optional(Words(STREAMS, { description: 'Only emails of this stream.' })),
    tag: Filter('Only emails with exactly this tag.'),
  },
  { additionalProperties: false },
);
export type MetricsQuery = Type.Static<typeof MetricsQuery>;

const NUMBERS = {
  emails: 'Emails accepted in this time. For a provider: those whose first recipient has a mailbox there.',
  recipients: 'Recipients of these emails. The numbers below are subsets of this one.',
  delivered: "Accepted by the recipient's server.",
  bounced_hard: 'Permanently rejected or bounced.',
  bounced_soft: 'Rejected or bounced after all retries.',
  complained: 'Delivered and marked as spam.',
  failed: 'Never handed to a server.',
  opened_by_people: 'Delivered and opened, with no sign of a machine.',
  opened_by_machines: 'Delivered and opened by machines only.',
  clicked: 'Delivered, opened and clicked.',
} as const;
const LATENCIES = {
  p50: 'Half of the delivered emails were delivered within this many milliseconds after the 202 response.',
  p90: '90% of the delivered emails were delivered within this many milliseconds.',
  p99: '99% of the delivered emails were delivered within this many milliseconds.',
} as const;

function fields<Name extends string, Of extends Type.TSchema>(
  names: Readonly<Record<Name, string>>,
  of: (description: string) => Of,
) {
  return Object.fromEntries(
    Object.entries<string>(names).map(([name, description]) => [name, of(description)]),
  ) as Record<Name, Of>;
}

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const Latency = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));

export const MetricsSeries = Type.Object(
  {
    name: Type.String({
      description:
        'The name of the domain, provider, stream or tag. Empty: all emails, the remaining ones, or those without a tag.',
    }),
    is_rest: Type.Boolean({ description: 'Whether this series combines all remaining values.' }),
    total: Type.Object({ ...fields(NUMBERS, Count), ...fields(LATENCIES, Latency) }),
    steps: Type.Object(
      {
        ...fields(NUMBERS, (description) => Type.Array(Count(description))),
        ...fields(LATENCIES, (description) => Type.Array(Latency(description))),
      },
      { description: 'One value for each of `steps`, in order. Null: nothing was delivered in that step.' },
    ),
  },
  { $id: 'MetricsSeries' },
);
export type MetricsSeries = Type.Static<typeof MetricsSeries>;

export const Metrics = Type.Object(
  {
    range: Words(RANGES),
    by: Words(DIMENSIONS),
    counted_at: CountedAt,
    outcomes_at: OutcomesAt,
    is_complete: Type.Boolean({ description: 'Whether all emails of this time are counted.' }),
    is_shortened: Type.Boolean({
      description:
        'True: there are too many emails to count those of the filter over the whole range, or some were deleted. The first steps are left out.',
    }),
    retained_since: RetainedSince,
    step_hours: Type.Integer({ description: 'The length of a step in hours.' }),
    steps: Type.Array(Timestamp, { description: 'The start of each step (UTC), oldest first.' }),
    all: Ref(MetricsSeries),
    parts: Type.Array(Ref(MetricsSeries), {
      description: 'Largest first, with the rest at the end. Empty without grouping.',
    }),
  },
  { $id: 'Metrics', description: "The outcomes of a project's emails over time." },
);
export type Metrics = Type.Static<typeof Metrics>;
