/** The operators' view of the installation. It shows neither the content nor the recipients of mail. */
import { Type } from 'typebox';
import { ACTOR_KINDS } from './organizations.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const bytes = (description: string) => Type.Integer({ minimum: 0, description });

const STATES = ['open', 'closed', 'held'] as const;

export const ServerWords = Type.Object(
  {
    text: Type.String({
      description: 'What it said, with its codes; or what this side says where nobody answered.',
    }),
    server: Nullable(Type.String({ description: 'Its name.' })),
  },
  { $id: 'ServerWords', description: 'The last words of a server.' },
);

export const QueueDestination = Type.Object(
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
    put_off: count('Recipients that its servers put off one by one: each waits for its next try.'),
    last_words: Type.Union([Ref(ServerWords), Type.Null()]),
  },
  { $id: 'QueueDestination', description: 'What waits for one domain, and why.' },
);
export type QueueDestination = Type.Static<typeof QueueDestination>;

export const QueueQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 255, description: 'A part of the domain.' })),
    state: Type.Optional(Words(['closed', 'held', 'refusing'], { description: 'Those alone.' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  { additionalProperties: false },
);
export type QueueQuery = Type.Static<typeof QueueQuery>;

export const SystemQueue = Type.Object(
  {
    paused: Nullable(Type.Object({ since: Timestamp, because: Words(['restored', 'asked']) })),
    waiting: count('Recipients that were looked at: no more than 200,000.'),
    is_longer: Type.Boolean({ description: 'There are more of them.' }),
    in_flight: count('Of these.'),
    oldest_at: Nullable(Timestamp),
    other_kind: Nullable(
      Type.Object(
        { kind: Words(['sandbox', 'real']), waiting: count('Recipients, among those looked at.') },
        {
          description:
            'Accepted for the kind of provider that the installation does not have any more. It waits until an operator releases or withdraws it.',
        },
      ),
    ),
    destinations: count('That the query finds.'),
    page: Type.Integer({ minimum: 1 }),
    pages: Type.Integer({ minimum: 1 }),
    data: Type.Array(Ref(QueueDestination), { description: 'Those that most waits for first.' }),
  },
  { $id: 'SystemQueue', description: 'The queue by destination.' },
);
export type SystemQueue = Type.Static<typeof SystemQueue>;

export const DestinationOrder = Type.Object(
  { domain: Type.String({ minLength: 1, maxLength: 255, examples: ['example.net'] }) },
  { $id: 'DestinationOrder', additionalProperties: false },
);

export const Withdrawn = Type.Object(
  {
    withdrawn: count('Recipients.'),
    is_done: Type.Boolean({ description: 'Else ask once more.' }),
  },
  { $id: 'Withdrawn', description: 'What does not go out any more.' },
);

export const Doctor = Type.Object(
  {
    is_running: Type.Boolean(),
    ran_at: Nullable(Type.Unsafe<string>({ ...Timestamp, description: 'When the checks ended.' })),
    host: Type.String({ description: 'The machine that they are about.' }),
    error: Nullable(Type.String({ description: 'Why they could not be made.' })),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        verdict: Words(['ok', 'warning', 'problem']),
        seen: Type.String(),
        advice: Nullable(Type.String()),
      }),
    ),
  },
  { $id: 'Doctor', description: 'What `posthorn doctor` finds on the machine that answers.' },
);
export type Doctor = Type.Static<typeof Doctor>;

export const SystemProcesses = Type.Object(
  {
    version: Type.String({ description: 'Of the process that answers.' }),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        host: Type.String(),
        name: Type.String(),
        roles: Type.Array(Type.String()),
        version: Type.String(),
        started_at: Timestamp,
        heartbeat_at: Timestamp,
        is_alive: Type.Boolean({ description: 'Its last heartbeat is not older than seven seconds.' }),
        clock_ahead_ms: Type.Integer({ description: "Of the database's; negative: behind." }),
        connections: count('To the database, at the most.'),
      }),
    ),
  },
  { $id: 'SystemProcesses', description: 'The processes of all machines.' },
);
export type SystemProcesses = Type.Static<typeof SystemProcesses>;

const Table = Type.Object({
  name: Type.String(),
  partitions: count('0: it has none.'),
  rows: count('About.'),
  bytes: bytes('With its indexes.'),
  largest: Type.Array(Type.Object({ name: Type.String(), rows: count('About.'), bytes: bytes('') }), {
    description: 'Its largest partitions.',
  }),
});

export const SystemStorage = Type.Object(
  {
    disk: Type.Object(
      {
        host: Type.String(),
        folder: Type.String(),
        free_bytes: bytes(''),
        total_bytes: bytes(''),
      },
      { description: 'Of the data folder of the process that answers.' },
    ),
    database_bytes: bytes(''),
    tables: Type.Array(Table, { description: 'The largest first.' }),
    blobs: Type.Object({
      place: Words(['files', 'bucket'], { description: 'Where messages of more than 64 KB are.' }),
      rows: count('About.'),
      kept_bytes: bytes('What all projects keep, by their meters.'),
    }),
  },
  { $id: 'SystemStorage', description: 'What takes space.' },
);
export type SystemStorage = Type.Static<typeof SystemStorage>;

export const SystemStatements = Type.Object(
  {
    source: Words(['pg_stat_statements', 'running'], {
      description: '`running`: what has run for more than a second by now.',
    }),
    data: Type.Array(
      Type.Object({
        text: Type.String({ description: 'Without values.' }),
        calls: Nullable(count('')),
        total_ms: Type.Number({ description: 'Of all calls; for one that runs, until now.' }),
        mean_ms: Nullable(Type.Number()),
        state: Nullable(Type.String({ description: 'What it waits for.' })),
      }),
    ),
  },
  { $id: 'SystemStatements', description: 'Statements that take the most time.' },
);
export type SystemStatements = Type.Static<typeof SystemStatements>;

export const SystemCertificates = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        names: Type.Array(Type.String()),
        source: Words(['files', 'acme']),
        issuer: Nullable(Type.String()),
        expires_at: Nullable(Timestamp),
        next_attempt_at: Nullable(Timestamp),
        failures: count('Since the last one that was obtained.'),
        last_error: Nullable(Type.String()),
        is_wanted: Type.Boolean({ description: 'A process has asked for it in the last day.' }),
      }),
    ),
  },
  { $id: 'SystemCertificates', description: 'What ports with TLS show.' },
);
export type SystemCertificates = Type.Static<typeof SystemCertificates>;

export const LogLevel = Type.Object(
  {
    level: Words(['debug', 'info', 'warn', 'error'], { description: 'As it is set (POSTHORN_LOG_LEVEL).' }),
    raised_until: Nullable(
      Type.Unsafe<string>({ ...Timestamp, description: 'All processes log `debug` until then.' }),
    ),
  },
  { $id: 'LogLevel' },
);
export type LogLevel = Type.Static<typeof LogLevel>;

export const RaiseLogLevel = Type.Object(
  { minutes: Type.Integer({ minimum: 1, maximum: 60 }) },
  { $id: 'RaiseLogLevel', additionalProperties: false },
);

export const SystemVersions = Type.Object(
  {
    version: Type.String(),
    node: Type.String(),
    postgresql: Type.String(),
    running: Type.Array(Type.Object({ version: Type.String(), host: Type.String(), processes: count('') }), {
      description: 'What lives.',
    }),
    migrations: Type.Array(
      Type.Object({
        name: Type.String(),
        state: Words(['done', 'waits', 'missing'], {
          description:
            '`waits`: it takes away what older versions need, an hour after the last of them has ended.',
        }),
        done_at: Nullable(Timestamp),
        serves_from: Nullable(Type.String({ description: 'Older versions do not start any more.' })),
      }),
      { description: 'The newest first.' },
    ),
  },
  { $id: 'SystemVersions', description: 'What runs, and what the database is made for.' },
);
export type SystemVersions = Type.Static<typeof SystemVersions>;

export const SystemChangesQuery = Type.Object(
  {
    cursor: Type.Optional(Type.String({ maxLength: 64 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
);

export const SystemChangeList = Type.Object(
  {
    data: Type.Array(
      Type.Object({
        id: Id('aud'),
        created_at: Timestamp,
        action: Type.String(),
        actor: Type.Object({
          kind: Words(ACTOR_KINDS),
          name: Type.String(),
          address: Nullable(Type.String()),
        }),
        target: Type.String(),
        after: Nullable(Type.Unsafe<Record<string, unknown>>({ type: 'object' })),
      }),
    ),
    next_cursor: Nullable(Type.String()),
  },
  { $id: 'SystemChangeList', description: 'What operators have changed, the last change first.' },
);
export type SystemChangeList = Type.Static<typeof SystemChangeList>;
