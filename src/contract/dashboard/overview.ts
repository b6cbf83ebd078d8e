/** A project at a glance. */
import { Type } from 'typebox';
import { EMAIL_STAGES } from '../../model/email-status.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

const RANGES = ['24h', '7d', '30d'] as const;
export type OverviewRange = (typeof RANGES)[number];

export const OverviewQuery = Type.Object(
  { range: Type.Optional(Words(RANGES, { description: 'How far back; 7d where it is not given.' })) },
  { additionalProperties: false },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const outcomes = {
  emails: count('Accepted in this time.'),
  recipients: count('Of these emails. The numbers below are parts of this one.'),
  delivered: count("Taken by the recipient's server."),
  opened: count('Delivered and opened, by people and machines.'),
  clicked: count('Opened and clicked.'),
  failed: count('Never handed over.'),
  bounced: count('Refused, or come back.'),
  complained: count('Delivered and marked as spam.'),
};

export const Need = Type.Object(
  {
    kind: Words(['paused', 'domain', 'webhook', 'mailbox', 'plan', 'api-key']),
    tone: Words(['warn', 'bad']),
    id: Nullable(Type.String({ description: 'Of what it is about.' })),
    text: Type.String({ description: 'What is the matter, in a sentence.' }),
  },
  { $id: 'Need', description: 'Something that somebody has to do something about.' },
);
export type Need = Type.Static<typeof Need>;

export const Overview = Type.Object(
  {
    range: Words(RANGES),
    counted_at: Type.Unsafe<string>({ ...Timestamp, description: 'As of when the numbers are.' }),
    total: Type.Object(outcomes),
    steps: Type.Array(
      Type.Object({
        from: Type.Unsafe<string>({
          ...Timestamp,
          description: 'An hour, or a day from midnight (UTC): the emails that were accepted in it.',
        }),
        ...outcomes,
      }),
      { description: 'The same over time, oldest first.' },
    ),
    queue: Type.Object({
      waiting: count(
        'Recipients that wait for their next attempt, up to 10,000. Not those whose time has not come.',
      ),
      is_longer: Type.Boolean(),
      oldest: Nullable(
        Type.Object(
          { id: Id('em'), created_at: Timestamp },
          { description: 'What waits longest: since it was accepted, or since its time came.' },
        ),
      ),
    }),
    needs: Type.Array(Ref(Need), { description: 'The most urgent first.' }),
  },
  { $id: 'Overview', description: 'What became of the emails of a project, and what waits.' },
);
export type Overview = Type.Static<typeof Overview>;

export const StartProgress = Type.Object(
  {
    has_key: Type.Boolean({ description: 'Whether somebody has made an API key in the dashboard.' }),
    email: Nullable(
      Type.Object(
        { id: Id('em'), status: Words(EMAIL_STAGES), created_at: Timestamp },
        { description: 'The newest one.' },
      ),
    ),
  },
  { $id: 'StartProgress', description: 'How far a project is on the way to its first email.' },
);
export type StartProgress = Type.Static<typeof StartProgress>;
