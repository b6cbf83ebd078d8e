/** The view of the installation for operators. This view shows neither the content nor the recipients of mail. */
import { Type } from 'typebox';
import { ACTOR_KINDS } from './organizations.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const bytes = (description: string) => Type.Integer({ minimum: 0, description });

const STATES = ['open', 'closed', 'held'] as const;

export const ServerWords = Type.Object(
  {
    text: Type.String({
      description: 'The reply with its codes, or a description by the service if there was no reply.',
    }),
    server: Nullable(Type.String({ description: 'The name of the server.' })),
  },
  { $id: 'ServerWords', description: 'The last reply of a server.' },
);

export const QueueDestination = Type.Object(
  {
    domain: Type.String({ description: "The recipients' domain." }),
    state: Words(STATES, {
      description:
        '`closed`: the servers of the destination cannot be used, and it is retried later. `held`: an operator has paused the destination.',
    }),
    waiting: count('Waiting recipients. Scheduled emails do not count before their scheduled time.'),
    in_flight: count('The number of waiting recipients that are being delivered right now.'),
    oldest_at: Nullable(
      Type.Unsafe<string>({ ...Timestamp, description: 'When the oldest email was accepted.' }),
    ),
    held_since: Nullable(Timestamp),
    failing_since: Nullable(Timestamp),
    failures: count('The number of consecutive attempts that failed because the destination was closed.'),
    next_try_at: Nullable(Timestamp),
    refused_senders: count(
      'The number of sender domains whose mail the destination rejects while it accepts mail from other senders.',
    ),
    put_off: count(
      'The number of recipients that its servers deferred individually: each waits for its next attempt.',
    ),
    last_words: Type.Union([Ref(ServerWords), Type.Null()]),
  },
  { $id: 'QueueDestination', description: 'The queue of one domain, and the reason why it waits.' },
);
export type QueueDestination = Type.Static<typeof QueueDestination>;

export const QueueQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 255, description: 'A part of the domain.' })),
    state: Type.Optional(
      Words(['closed', 'held', 'refusing'], { description: 'Only destinations in this state.' }),
    ),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  },
  { additionalProperties: false },
);
export type QueueQuery = Type.Static<typeof QueueQuery>;

export const SystemQueue = Type.Object(
  {
    paused: Nullable(Type.Object({ since: Timestamp, because: Words(['restored', 'asked']) })),
    waiting: count('Waiting recipients, counted up to 200,000.'),
    is_longer: Type.Boolean({ description: 'Whether there are more than were counted.' }),
    in_flight: count('The number of counted recipients in flight.'),
    oldest_at: Nullable(Timestamp),
    other_kind: Nullable(
      Type.Object(
        { kind: Words(['sandbox', 'real']), waiting: count('Recipients among those counted.') },
        {
          description:
            'Mail accepted for a kind of provider that the installation no longer has. The mail waits until an operator releases or withdraws it.',
        },
      ),
    ),
    destinations: count('The number of destinations that match the query.'),
    page: Type.Integer({ minimum: 1 }),
    pages: Type.Integer({ minimum: 1 }),
    data: Type.Array(Ref(QueueDestination), {
      description: 'The destinations with the most waiting recipients first.',
    }),
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
    is_done: Type.Boolean({
      description: 'Whether the operation is complete. If not, send the request again.',
    }),
  },
  { $id: 'Withdrawn', description: 'The withdrawn mail, which will not be sent.' },
);

export const Doctor = Type.Object(
  {
    is_running: Type.Boolean(),
    ran_at: Nullable(Type.Unsafe<string>({ ...Timestamp, description: 'When the checks finished.' })),
    host: Type.String({ description: 'The machine that was checked.' }),
    error: Nullable(Type.String({ description: 'Why the checks could not run.' })),
    checks: Type.Array(
      Type.Object({
        name: Type.String(),
        verdict: Words(['ok', 'warning', 'problem']),
        seen: Type.String(),
        advice: Nullable(Type.String()),
      }),
    ),
  },
  { $id: 'Doctor', description: 'The findings of `posthorn doctor` on the responding machine.' },
);
export type Doctor = Type.Static<typeof Doctor>;

export const SystemProcesses = Type.Object(
  {
    version: Type.String({ description: 'The version of the responding process.' }),
    data: Type.Array(
      Type.Object({
        id: Type.String(),
        host: Type.String(),
        name: Type.String(),
        roles: Type.Array(Type.String()),
        version: Type.String(),
        started_at: Timestamp,
        heartbeat_at: Timestamp,
        is_alive: Type.Boolean({ description: 'Whether its last heartbeat is at most seven seconds old.' }),
        clock_ahead_ms: Type.Integer({
          description: "Milliseconds ahead of the database's clock; negative: behind.",
        }),
        connections: count('The maximum number of database connections.'),
      }),
    ),
  },
  {
    $id: 'SystemProcesses',
    description:
      'The processes of all machines, and those that ended without stopping, or hang, within the last day.',
  },
);
export type SystemProcesses = Type.Static<typeof SystemProcesses>;

const Rows = Nullable(count('An estimate; null until PostgreSQL has analyzed the table.'));

const Table = Type.Object({
  name: Type.String(),
  partitions: count('The number of partitions; 0 if there are none.'),
  rows: Rows,
  bytes: bytes('The size, including indexes.'),
  largest: Type.Array(Type.Object({ name: Type.String(), rows: Rows, bytes: bytes('') }), {
    description: 'The largest partitions of the table.',
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
      { description: "The disk of the responding process's data folder." },
    ),
    database_bytes: bytes(''),
    tables: Type.Array(Table, { description: 'Largest first.' }),
    blobs: Type.Object({
      place: Words(['files', 'bucket'], { description: 'Where messages larger than 64 KB are stored.' }),
      rows: Rows,
      kept_bytes: bytes('The storage used by all projects, by their meters.'),
    }),
  },
  { $id: 'SystemStorage', description: 'The use of storage.' },
);
export type SystemStorage = Type.Static<typeof SystemStorage>;

export const SystemStatements = Type.Object(
  {
    source: Words(['pg_stat_statements', 'running'], {
      description: '`running`: statements that have been running for more than a second.',
    }),
    data: Type.Array(
      Type.Object({
        text: Type.String({ description: 'The statement without values.' }),
        calls: Nullable(count('')),
        total_ms: Type.Number({
          description: 'The total time of all calls; for a running statement, the time so far.',
        }),
        mean_ms: Nullable(Type.Number()),
        state: Nullable(Type.String({ description: 'The reason why the statement is waiting.' })),
      }),
    ),
  },
  { $id: 'SystemStatements', description: 'The statements that take the most time.' },
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
        failures: count('Failures since the last certificate was obtained.'),
        last_error: Nullable(Type.String()),
        is_wanted: Type.Boolean({
          description: 'Whether a process has requested the certificate in the last 24 hours.',
        }),
      }),
    ),
  },
  { $id: 'SystemCertificates', description: 'The certificates of TLS ports.' },
);
export type SystemCertificates = Type.Static<typeof SystemCertificates>;

export const LogLevel = Type.Object(
  {
    level: Words(['debug', 'info', 'warn', 'error'], {
      description: 'The configured level (POSTHORN_LOG_LEVEL).',
    }),
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
      description: 'The running processes.',
    }),
    migrations: Type.Array(
      Type.Object({
        name: Type.String(),
        state: Words(['done', 'waits', 'missing'], {
          description:
            '`waits`: the migration removes something that older versions need, and runs an hour after the last process of an older version has stopped.',
        }),
        done_at: Nullable(Timestamp),
        serves_from: Nullable(Type.String({ description: 'Older versions no longer start.' })),
      }),
      { description: 'Newest first.' },
    ),
  },
  {
    $id: 'SystemVersions',
    description: 'The running versions, and the version that the database was made for.',
  },
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
  { $id: 'SystemChangeList', description: 'The changes by operators, newest first.' },
);
export type SystemChangeList = Type.Static<typeof SystemChangeList>;
