/** The outcomes of a project's emails over time, for charts. */
import { Type } from 'typebox';
import { DIMENSIONS } from '../../model/dimensions.ts';
import { Nullable, Ref, Timestamp, Words } from '../schema.ts';

const RANGES = ['24h', '7d', '30d', '90d', '1y'] as const;
export type MetricsRange = (typeof RANGES)[number];

export const MetricsQuery = Type.Object(
  {
    range: Type.Optional(Words(RANGES, { description: 'How far back; 7d where it is not given.' })),
    by: Type.Optional(Words(DIMENSIONS, { description: 'What is told apart; `all`: nothing.' })),
  },
  { additionalProperties: false },
);

const NUMBERS = {
  emails: 'Accepted in this time. Of providers: those whose first recipient has a mailbox there.',
  recipients: 'Of these emails. The numbers below are parts of this one.',
  delivered: "Taken by the recipient's server.",
  bounced_hard: 'Refused or come back for good.',
  bounced_soft: 'Refused or come back when retries were used up.',
  complained: 'Delivered and marked as spam.',
  failed: 'Never handed over.',
  opened_by_people: 'Delivered and opened, without a sign of a machine.',
  opened_by_machines: 'Delivered and opened by machines alone.',
  clicked: 'Delivered, opened and clicked.',
} as const;
const LATENCIES = {
  p50: 'Milliseconds in which half of those that were delivered were, from the 202 on.',
  p90: 'The same of nine in ten.',
  p99: 'The same of 99 in a hundred.',
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
      description: 'Of the domain, provider, stream or tag. Empty: all, the rest, or no tag.',
    }),
    is_rest: Type.Boolean({ description: 'All that are not named, together.' }),
    total: Type.Object({ ...fields(NUMBERS, Count), ...fields(LATENCIES, Latency) }),
    steps: Type.Object(
      {
        ...fields(NUMBERS, (description) => Type.Array(Count(description))),
        ...fields(LATENCIES, (description) => Type.Array(Latency(description))),
      },
      { description: 'For each of `steps` of the whole, in their order. Null: nothing was delivered in it.' },
    ),
  },
  { $id: 'MetricsSeries' },
);
export type MetricsSeries = Type.Static<typeof MetricsSeries>;

export const Metrics = Type.Object(
  {
    range: Words(RANGES),
    by: Words(DIMENSIONS),
    counted_at: Nullable(
      Type.Unsafe<string>({
        ...Timestamp,
        description: 'As of when the numbers are; null: nothing is counted yet.',
      }),
    ),
    is_complete: Type.Boolean({ description: 'Whether all emails of this time are counted.' }),
    step_hours: Type.Integer({ description: 'How long a step is.' }),
    steps: Type.Array(Timestamp, { description: 'When each begins (UTC), oldest first.' }),
    all: Ref(MetricsSeries),
    parts: Type.Array(Ref(MetricsSeries), {
      description: 'The largest first, and at the end the rest. Empty where nothing is told apart.',
    }),
  },
  { $id: 'Metrics', description: 'What became of the emails of a project over time.' },
);
export type Metrics = Type.Static<typeof Metrics>;
