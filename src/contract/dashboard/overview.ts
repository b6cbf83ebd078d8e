/** The overview page of a project. */
import { Type } from 'typebox';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { QUEUE_STATES } from '../../model/queue-states.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { CountedAt, OutcomesAt, RetainedSince } from './freshness.ts';

const RANGES = ['24h', '7d', '30d'] as const;
export type OverviewRange = (typeof RANGES)[number];

export const OverviewQuery = Type.Object(
  { range: Type.Optional(Words(RANGES, { description: 'The time range. Default: 7d.' })) },
  { additionalProperties: false },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const outcomes = {
  emails: count('Emails accepted in this time.'),
  recipients: count('Recipients of these emails. The numbers below are subsets of this one.'),
  delivered: count("Accepted by the recipient's server."),
  opened: count('Delivered and opened, by people and machines.'),
  clicked: count('Opened and clicked.'),
  failed: count('Never handed to a server.'),
  bounced: count('Rejected or bounced.'),
  complained: count('Delivered and marked as spam.'),
};

const NeedKey = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'Names the problem for a snooze.',
});
const NeedLevel = Type.Integer({
  minimum: 0,
  maximum: 1_000_000,
  description: 'How bad the problem is. A snoozed problem is shown again if it gets worse.',
});

/** The kinds of problems of a project. */
export const NEED_KINDS = [
  'stopped',
  'paused',
  'delayed',
  'bounces',
  'complaints',
  'domain',
  'webhook',
  'route',
  'mailbox',
  'plan',
  'api-key',
] as const;

export const Need = Type.Object(
  {
    kind: Words(NEED_KINDS),
    severity: Type.Integer({
      minimum: 1,
      maximum: 4,
      description:
        '1: mail of the project is not sent, or not accepted. 2: a part of it is not sent, or its reputation is in danger. 3: something will stop soon. 4: to be tidied up.',
    }),
    tone: Words(['warn', 'bad']),
    id: Nullable(Type.String({ description: 'The id of the resource concerned.' })),
    text: Type.String({ description: 'The problem, in one sentence.' }),
    since: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description: 'Since when. Null: not known.',
    }),
    query: Nullable(Type.String({ description: 'The search that finds the emails concerned.' })),
    key: NeedKey,
    level: NeedLevel,
    snoozed_until: Type.Unsafe<string | null>({
      ...Nullable(Timestamp),
      description: 'Until when the user has hidden the problem. Null: it is shown.',
    }),
  },
  { $id: 'Need', description: 'A problem that needs attention.' },
);
export type Need = Type.Static<typeof Need>;

export const Snooze = Type.Object(
  {
    key: NeedKey,
    level: NeedLevel,
    days: Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'For how long the problem is hidden. 0: it is shown again now.',
    }),
  },
  {
    $id: 'Snooze',
    description: 'Hides a problem from the user for a while.',
    additionalProperties: false,
  },
);
export type Snooze = Type.Static<typeof Snooze>;

export const Overview = Type.Object(
  {
    range: Words(RANGES),
    counted_at: CountedAt,
    outcomes_at: OutcomesAt,
    retained_since: RetainedSince,
    total: Type.Object(outcomes),
    steps: Type.Array(
      Type.Object({
        from: Type.Unsafe<string>({
          ...Timestamp,
          description: 'The emails accepted in an hour, or in a day from midnight (UTC).',
        }),
        ...outcomes,
      }),
      { description: 'The same numbers over time, oldest first.' },
    ),
    queue: Type.Object({
      counts: Type.Array(
        Type.Object({
          state: Words(QUEUE_STATES),
          recipients: count('Those that a search by `queue:` finds.'),
        }),
        {
          description:
            'Recipients of emails that wait, up to 10,000 in total, and parts of them by state. A recipient can have several states.',
        },
      ),
      is_longer: Type.Boolean({ description: 'Whether there may be more than were counted.' }),
      has_mailbox_mail: Type.Boolean({ description: 'Whether mail of mailboxes is waiting too.' }),
      oldest: Nullable(
        Type.Object(
          { id: Id('em'), created_at: Timestamp },
          {
            description:
              'The email that has been waiting longest, since it was accepted or since its scheduled time.',
          },
        ),
      ),
    }),
    needs: Type.Array(Ref(Need), { description: 'In order of danger.' }),
  },
  { $id: 'Overview', description: "The outcomes of a project's emails, and its queue." },
);
export type Overview = Type.Static<typeof Overview>;

const NextSteps = Type.Object(
  {
    domain: Nullable(
      Type.Object(
        {
          id: Id('dom'),
          may_send: Type.Boolean(),
          dns_provider: Nullable(
            Type.String({ description: 'The name of the provider that hosts its DNS zone. Null: unknown.' }),
          ),
        },
        { description: 'A domain that may send, otherwise the newest one.' },
      ),
    ),
    has_webhook: Type.Boolean(),
    has_colleague: Type.Boolean({
      description:
        'Whether the organization has another member, or, for owners and admins, an open invitation.',
    }),
  },
  {
    description:
      'What the project has of what it needs after its first email. Null: the user has hidden the next steps.',
  },
);
export type NextSteps = Type.Static<typeof NextSteps>;

export const HideNextSteps = Type.Object(
  { hidden: Type.Boolean() },
  {
    $id: 'HideNextSteps',
    description: 'Whether the next steps are hidden from the user.',
    additionalProperties: false,
  },
);

export const StartProgress = Type.Object(
  {
    has_key: Type.Boolean({ description: 'Whether an API key was created in the dashboard.' }),
    email: Nullable(
      Type.Object(
        { id: Id('em'), status: Words(EMAIL_STAGES), created_at: Timestamp },
        { description: 'The newest email.' },
      ),
    ),
    next: Nullable(NextSteps),
  },
  {
    $id: 'StartProgress',
    description: 'The progress of a project towards its first email, and the next steps.',
  },
);
export type StartProgress = Type.Static<typeof StartProgress>;
