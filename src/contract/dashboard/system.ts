/** What operators see of the installation: nothing of what anybody sends, nor to whom. */
import { Type } from 'typebox';
import { Nullable, Timestamp, Words } from '../schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

const STATES = ['open', 'closed', 'held'] as const;

const ServerWords = Type.Object(
  {
    text: Type.String({
      description: 'What it said, with its codes; or what this side says where nobody answered.',
    }),
    server: Nullable(Type.String({ description: 'Its name.' })),
  },
  { $id: 'ServerWords', description: 'The last words of a server.' },
);

const QueueDestination = Type.Object(
  {
    domain: Type.String({ description: 'Of recipients.' }),
    state: Words(STATES, {
      description:
        '`closed`: its servers cannot be used, and it is tried again later. `held`: an operator holds it.',
    }),
    waiting: count('Recipients. Those of emails that are to be sent later do not count until then.'),
    in_flight: count('Of these: handed over at this moment.'),
    oldest_at: Nullable(Type.Unsafe<string>({ ...Timestamp, description: 'When the oldest was accepted.' })),
    held_since: Nullable(Timestamp),
    failing_since: Nullable(Timestamp),
    failures: count('Tries in a row that found it closed.'),
    next_try_at: Nullable(Timestamp),
    refused_senders: count('Domains of senders whose mail it refuses, while it takes that of others.'),
    last_words: Nullable(ServerWords),
  },
  { $id: 'QueueDestination', description: 'What waits for one domain, and why.' },
);
export type QueueDestination = Type.Static<typeof QueueDestination>;

const QueueQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 255, description: 'A part of the domain.' })),
    state: Type.Optional(Words(['closed', 'held', 'refusing'], { description: 'Those alone.' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  { additionalProperties: false },
);
export type QueueQuery = Type.Static<typeof QueueQuery>;

const SystemQueue = Type.Object(
  {
    paused: Nullable(Type.Object({ since: Timestamp, because: Words(['restored', 'asked']) })),
    waiting: count('Recipients that were looked at: no more than 200,000.'),
    is_longer: Type.Boolean({ description: 'There are more of them.' }),
    in_flight: count('Of these.'),
    oldest_at: Nullable(Timestamp),
    destinations: count('That the query finds.'),
    page: Type.Integer({ minimum: 1 }),
    pages: Type.Integer({ minimum: 1 }),
    data: Type.Array(QueueDestination, { description: 'Those that most waits for first.' }),
  },
  { $id: 'SystemQueue', description: 'The queue by destination.' },
);
export type SystemQueue = Type.Static<typeof SystemQueue>;
