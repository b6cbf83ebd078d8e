/**
 * The transaction that is committed before the response 202. It writes the idempotency key, the email, its content, its recipients, their
 * queue rows and the `queued` event.
 */
import { type RawBuilder, sql } from 'kysely';
import { recordingStorage } from '../../accounts/usage.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { type Columns, rowsOf } from '../../db/rows.ts';
import { timeOf } from '../../model/ids.ts';
import type { Stream } from '../../model/streams.ts';
import type { Tracking } from '../../model/tracking.ts';
import { IS_SANDBOX } from '../../queue/provider-kind.ts';
import { type NewMessage, recordingMessages } from './insert-messages.ts';
import { recordingQueued } from '../events/record-events.ts';
import { STATUS_OF_NEW } from '../events/stored-status.ts';

export interface NewEmail {
  projectId: string;
  /** UUIDv7 with the time of acceptance. */
  emailId: string;
  /** The From address as the caller wrote it. */
  sender: string;
  /** The normalized From address. */
  senderAddress: string;
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
  replyTo: string | null;
  subject: string;
  html: string | null;
  text: string | null;
  /** UUID of the template from which subject, html and text were made. Null if the caller sent the content itself. */
  templateId: string | null;
  headers: Readonly<Record<string, string>> | null;
  tags: readonly string[];
  stream: Stream;
  /** Normalized forward-paths without duplicates. */
  recipients: readonly string[];
  /** Null: no tracking. */
  tracking: Tracking | null;
  /** W3C traceparent of the request; null without tracing. */
  traceParent: string | null;
  idempotency: { key: string; fingerprint: Uint8Array } | null;
  /** Whether events of the email are sent to webhooks. */
  emitsEvents: boolean;
  /** The send time. Null: send at once. */
  scheduledAt: Date | null;
  /** The message that is sent as it is. Null: the message is composed from the content. */
  message: NewMessage | null;
}

/** How long an idempotency key is stored (docs/contract.md, Idempotency). */
const IDEMPOTENCY_WINDOW = sql.raw("interval '24 hours'");

/** The number of UTF-8 bytes that an email adds to its project's storage. */
export function storedBytes({ subject, html, text, headers, message }: NewEmail): number {
  let bytes = Buffer.byteLength(subject) + (message?.blob.size ?? 0);
  if (html !== null) bytes += Buffer.byteLength(html);
  if (text !== null) bytes += Buffer.byteLength(text);
  if (headers !== null) bytes += Buffer.byteLength(JSON.stringify(headers));
  return bytes;
}

/** The size of an email in memory, in characters. Counts the fields that a caller can make long. */
export function sizeOfEmail({ to, cc, bcc, subject, html, text, headers, tags, message }: NewEmail): number {
  let size = subject.length + (html?.length ?? 0) + (text?.length ?? 0) + sizeOfHeaders(headers);
  size += message?.blob.bytes?.length ?? 0;
  for (const list of [to, cc, bcc, tags]) {
    for (const each of list) size += each.length;
  }
  return size;
}

function sizeOfHeaders(headers: NewEmail['headers']): number {
  let size = 0;
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  return size;
}

/**
 * Writes a batch in one transaction, without checking the limits of plans.
 * @returns for each email, whether it was written. If not, its idempotency key belongs to an earlier email, which is committed by now
 */
export async function insertEmails(database: Database, batch: readonly NewEmail[]): Promise<boolean[]> {
  if (batch.every((email) => email.idempotency === null)) {
    // A single statement is its own transaction and needs a third of the round trips.
    await insertRows(database, batch);
    return batch.map(() => true);
  }
  return database.transaction().execute(async (tx) => {
    const lost = await claimKeys(tx, batch);
    const emails = batch.filter((email) => !lost.has(email.emailId));
    if (emails.length > 0) await insertRows(tx, emails);
    return batch.map((email) => !lost.has(email.emailId));
  });
}

const KEYS = rowsOf<NewEmail & NonNullable<NewEmail['idempotency']>>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  key: ['text', ({ key }) => key],
  fingerprint: ['bytea', ({ fingerprint }) => fingerprint],
  email_id: ['uuid', ({ emailId }) => emailId],
  created_at: ['timestamptz', ({ emailId }) => timeOf(emailId)],
});

const CLAIMED_KEY = columnsOf({ emailId: 'uuid' });

/**
 * Claims the idempotency keys in sorted order, so that the batches of two processes never deadlock.
 * @returns the ids of emails whose idempotency key belongs to an earlier email
 */
export async function claimKeys(tx: DatabaseTransaction, batch: readonly NewEmail[]): Promise<Set<string>> {
  const all = batch.flatMap((email) =>
    email.idempotency === null ? [] : [{ ...email, ...email.idempotency }],
  );
  if (all.length === 0) return new Set();
  // If several emails in a batch have the same key, only the first is written, because one statement cannot write a row twice.
  const first = new Map(all.toReversed().map((email) => [`${email.projectId} ${email.key}`, email]));
  const keyed = [...first.values()];
  const { rows } = await CLAIMED_KEY.sql`
    insert into idempotency_keys (${KEYS.names})
    select ${KEYS.values} from ${KEYS.from(keyed)}
    order by project_id, key
    on conflict (project_id, key) do update
      set fingerprint = excluded.fingerprint, email_id = excluded.email_id, email_ids = null, created_at = excluded.created_at
      where idempotency_keys.created_at < now() - ${IDEMPOTENCY_WINDOW}
    returning email_id`.execute(tx);
  const won = new Set(rows.map((row) => row.emailId));
  return new Set(all.map((email) => email.emailId).filter((id) => !won.has(id)));
}

const EMAIL_COLUMNS = {
  project_id: ['uuid', (email) => email.projectId],
  id: ['uuid', (email) => email.emailId],
  created_at: ['timestamptz', (email) => timeOf(email.emailId)],
  sender: ['text', (email) => email.sender],
  sender_address: ['text', (email) => email.senderAddress],
  to_list: ['text[]', (email) => email.to],
  subject: ['text', (email) => email.subject],
  tags: ['text[]', (email) => email.tags],
  stages: ['int2[]', (email) => email.recipients.map(() => 0)],
  emits_events: ['bool', (email) => email.emitsEvents],
  is_bulk: ['bool', (email) => email.stream === 'bulk'],
} as const satisfies Columns<NewEmail>;

const EMAILS = rowsOf<NewEmail>('e', EMAIL_COLUMNS);
/** Used only for batches with scheduled emails, so that the prepared statement of other batches does not change. */
const SCHEDULED_EMAILS = rowsOf<NewEmail>('e', {
  ...EMAIL_COLUMNS,
  scheduled_at: ['timestamptz', (email) => email.scheduledAt],
});

const CONTENTS = rowsOf<NewEmail>('c', {
  project_id: ['uuid', (email) => email.projectId],
  email_id: ['uuid', (email) => email.emailId],
  cc: ['text[]', (email) => email.cc],
  bcc: ['text[]', (email) => email.bcc],
  reply_to: ['text', (email) => email.replyTo],
  headers: ['json', (email) => email.headers],
  html: ['text', (email) => email.html],
  text: ['text', (email) => email.text],
  tracking: ['json', (email) => email.tracking],
  trace_parent: ['text', (email) => email.traceParent],
  stream: ['stream', (email) => email.stream],
  template_id: ['uuid', (email) => email.templateId],
});

interface NewRecipient {
  email: NewEmail;
  recipientIndex: number;
  address: string;
  octets: number;
}

const RECIPIENT_COLUMNS = {
  project_id: ['uuid', ({ email }: NewRecipient) => email.projectId],
  email_id: ['uuid', ({ email }: NewRecipient) => email.emailId],
  recipient_index: ['int2', ({ recipientIndex }: NewRecipient) => recipientIndex],
  address: ['text', ({ address }: NewRecipient) => address],
} as const;

const RECIPIENTS = rowsOf<NewRecipient>('r', RECIPIENT_COLUMNS);

const QUEUE_COLUMNS = {
  ...RECIPIENT_COLUMNS,
  octets: ['int4', ({ octets }: NewRecipient) => octets],
  stream: ['stream', ({ email }: NewRecipient) => email.stream],
} as const;

/** New queue rows. A row stays in the queue until its recipient is finished. */
const QUEUED = rowsOf<NewRecipient>('q', QUEUE_COLUMNS);
const SCHEDULED = rowsOf<NewRecipient>('q', {
  ...QUEUE_COLUMNS,
  scheduled_at: ['timestamptz', ({ email }) => email.scheduledAt],
});

const TAGS = rowsOf<{ email: NewEmail; tag: string }>('t', {
  project_id: ['uuid', ({ email }) => email.projectId],
  tag: ['text', ({ tag }) => tag],
  email_id: ['uuid', ({ email }) => email.emailId],
});

/** A CTE that indexes the emails by tag for the list of emails, with a trailing comma. Empty if no email has a tag. */
function recordingTags(emails: readonly NewEmail[]): RawBuilder<unknown> {
  const tags = emails.flatMap((email) => [...new Set(email.tags)].map((tag) => ({ email, tag })));
  if (tags.length === 0) return sql``;
  return sql`tagged as (insert into email_tags (${TAGS.names}) select ${TAGS.values} from ${TAGS.from(tags)}),`;
}

/** Inserts the rows of the emails. Due times use the database's clock, because the clock of another machine may be ahead. */
export async function insertRows(
  database: Database | DatabaseTransaction,
  emails: readonly NewEmail[],
): Promise<void> {
  const recipients = emails.flatMap((email) => {
    const octets =
      email.message?.blob.size ??
      (email.html?.length ?? 0) + (email.text?.length ?? 0) + sizeOfHeaders(email.headers);
    return email.recipients.map((address, recipientIndex) => ({ email, recipientIndex, address, octets }));
  });
  const isLater = emails.some(({ scheduledAt }) => scheduledAt !== null);
  const columns = isLater ? SCHEDULED_EMAILS : EMAILS;
  // Scheduled emails wait for long, and lists by the usual status read past emails that have this status but are not sent yet.
  const status = isLater
    ? sql`case when e.scheduled_at is null then ${STATUS_OF_NEW} else 0::int2 end`
    : STATUS_OF_NEW;
  await sql`
    with email as (
      insert into emails (${columns.names}, is_sandbox, status)
      select ${columns.values}, ${IS_SANDBOX}, ${status} from ${columns.from(emails)}
    ), content as (
      insert into email_contents (${CONTENTS.names}) select ${CONTENTS.values} from ${CONTENTS.from(emails)}
    ), recipient as (
      insert into email_recipients (${RECIPIENTS.names}) select ${RECIPIENTS.values} from ${RECIPIENTS.from(recipients)}
    ), ${recordingTags(emails)} ${recordingMessages(emails)} ${recordingQueued(emails)}, ${recordingStorage(storageByProject(emails))}
    ${isLater ? queueingLater(recipients) : sql`insert into queue (${QUEUED.names}, is_sandbox) select ${QUEUED.values}, ${IS_SANDBOX} from ${QUEUED.from(recipients)}`}`.execute(
    database,
  );
}

/** Inserts queue rows, some of which are scheduled. */
function queueingLater(recipients: readonly NewRecipient[]): RawBuilder<unknown> {
  return sql`
    insert into queue (${SCHEDULED.names}, is_sandbox, next_attempt_at)
    select ${SCHEDULED.values}, ${IS_SANDBOX}, greatest(q.scheduled_at, now()) from ${SCHEDULED.from(recipients)}`;
}

function storageByProject(emails: readonly NewEmail[]): Map<string, number> {
  const byProject = new Map<string, number>();
  for (const email of emails) {
    byProject.set(email.projectId, (byProject.get(email.projectId) ?? 0) + storedBytes(email));
  }
  return byProject;
}

const FOUND_KEY = columnsOf({
  place: 'int4',
  emailId: 'uuid',
  /** The ids of all emails in a batch; null for a single email. */
  emailIds: 'uuid[]?',
  fingerprint: 'bytea',
});

export type RememberedEmail = Omit<RowOf<typeof FOUND_KEY>, 'place'>;

export interface KeyOfProject {
  projectId: string;
  key: string;
}

const KEY_QUERIES = rowsOf<KeyOfProject & { place: number }>('w', {
  project_id: ['uuid', ({ projectId }) => projectId],
  key: ['text', ({ key }) => key],
  place: ['int4', ({ place }) => place],
});

/** For each idempotency key, the email that the key belongs to. Null if the key is unused or has expired. */
export async function findByIdempotencyKeys(
  database: Database,
  keys: readonly KeyOfProject[],
): Promise<(RememberedEmail | null)[]> {
  const { rows } = await FOUND_KEY.sql`
    select w.place, email_id, email_ids, fingerprint
    from ${KEY_QUERIES.from(keys.map((key, place) => ({ ...key, place })))}
    join idempotency_keys using (project_id, key)
    where created_at >= now() - ${IDEMPOTENCY_WINDOW}`.execute(database);
  const found = new Map(rows.map(({ place, ...remembered }) => [place, remembered]));
  return keys.map((_, place) => found.get(place) ?? null);
}

const NAMES = rowsOf<KeyOfProject>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  key: ['text', ({ key }) => key],
});

const KEY_NAME = columnsOf({ name: 'text' });

/** The idempotency keys of a batch that already belong to an email, each as `${projectId} ${key}`. */
export async function findUsedKeys(
  tx: DatabaseTransaction,
  batch: readonly NewEmail[],
): Promise<Set<string>> {
  const keyed = batch.flatMap(({ projectId, idempotency }) =>
    idempotency === null ? [] : [{ projectId, key: idempotency.key }],
  );
  if (keyed.length === 0) return new Set();
  const { rows } = await KEY_NAME.sql`
    select project_id || ' ' || key as name
    from ${NAMES.from(keyed)}
    join idempotency_keys using (project_id, key)
    where created_at >= now() - ${IDEMPOTENCY_WINDOW}`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/** The number of keys deleted per statement. A busy day leaves millions of keys, and a statement has a time limit. */
const FORGOTTEN_KEYS = 10_000;

/** Deletes expired idempotency keys, except keys that another transaction is claiming. */
export async function forgetIdempotencyKeys(database: Database): Promise<void> {
  for (let deleted = FORGOTTEN_KEYS; deleted === FORGOTTEN_KEYS; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from idempotency_keys where ctid = any (array(
        select ctid from idempotency_keys where created_at < now() - ${IDEMPOTENCY_WINDOW}
        limit ${FORGOTTEN_KEYS} for update skip locked
      ))`.execute(database);
    deleted = Number(numAffectedRows);
  }
}
