/** The one transaction behind a 202: idempotency row, email, contents, recipients, `queued` event. */
import { sql } from 'kysely';
import { recordingStorage } from '../../accounts/usage.ts';
import {
  byteaArray,
  int2Array,
  textArray,
  textArrayLiteral,
  timestampArray,
  uuidArray,
} from '../../db/arrays.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { timeOf } from '../../model/ids.ts';
import type { Tracking } from '../../model/tracking.ts';
import { recordingQueued } from '../events/record-events.ts';

export interface NewEmail {
  projectId: string;
  /** UUIDv7 of the moment of acceptance. */
  emailId: string;
  /** As the caller gave it. */
  sender: string;
  /** In normal form. */
  senderAddress: string;
  to: readonly string[];
  cc: readonly string[];
  bcc: readonly string[];
  replyTo: string | null;
  subject: string;
  html: string | null;
  text: string | null;
  headers: Readonly<Record<string, string>> | null;
  tags: readonly string[];
  /** Forward-paths in normal form, each once. */
  recipients: readonly string[];
  /** Null: nothing is tracked. */
  tracking: Tracking | null;
  /** W3C traceparent of the request; null where nobody traces. */
  traceParent: string | null;
  idempotency: { key: string; fingerprint: Buffer } | null;
}

/** Kept for 24 hours: an older row is as good as none (docs/contract.md, Idempotency). */
const KEPT = sql.raw("interval '24 hours'");

/** What an email counts for in the storage of its project, in bytes of UTF-8. */
export function storedBytes({ subject, html, text, headers }: NewEmail): number {
  let bytes = Buffer.byteLength(subject);
  if (html !== null) bytes += Buffer.byteLength(html);
  if (text !== null) bytes += Buffer.byteLength(text);
  if (headers !== null) bytes += Buffer.byteLength(JSON.stringify(headers));
  return bytes;
}

/**
 * Writes a batch in one transaction, whatever the plans allow. Per email: whether it was written. One that was not lost
 * its idempotency key to an earlier email, whose commit was waited for.
 */
export async function insertEmails(database: Database, batch: readonly NewEmail[]): Promise<boolean[]> {
  if (batch.every((email) => email.idempotency === null)) {
    // One statement is a transaction of its own, for a third of the round trips.
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

/**
 * Ids of the emails whose key belongs to an earlier one. In the order of the key, so that the batches of two
 * processes never wait for each other in a circle.
 */
export async function claimKeys(tx: DatabaseTransaction, batch: readonly NewEmail[]): Promise<Set<string>> {
  const all = batch.flatMap((email) =>
    email.idempotency === null ? [] : [{ ...email, ...email.idempotency }],
  );
  if (all.length === 0) return new Set();
  // Of twins in one batch the first goes on: one statement cannot write a row twice.
  const first = new Map(all.toReversed().map((email) => [`${email.projectId} ${email.key}`, email]));
  const keyed = [...first.values()];
  const { rows } = await sql<{ emailId: string }>`
    insert into idempotency_keys (project_id, key, fingerprint, email_id, created_at)
    select * from unnest(
      ${uuidArray(keyed.map((email) => email.projectId))}::uuid[], ${textArray(keyed.map((email) => email.key))}::text[],
      ${byteaArray(keyed.map((email) => email.fingerprint))}::bytea[], ${uuidArray(keyed.map((email) => email.emailId))}::uuid[],
      ${timestampArray(keyed.map((email) => timeOf(email.emailId)))}::timestamptz[]
    ) as k (project_id, key, fingerprint, email_id, created_at)
    order by project_id, key
    on conflict (project_id, key) do update
      set fingerprint = excluded.fingerprint, email_id = excluded.email_id, created_at = excluded.created_at
      where idempotency_keys.created_at < now() - ${KEPT}
    returning email_id`.execute(tx);
  const won = new Set(rows.map((row) => row.emailId));
  return new Set(all.map((email) => email.emailId).filter((id) => !won.has(id)));
}

/** The queue is due by the database's clock: that of another machine may be ahead. */
export async function insertRows(
  database: Database | DatabaseTransaction,
  emails: readonly NewEmail[],
): Promise<void> {
  const projects = uuidArray(emails.map((email) => email.projectId));
  const ids = uuidArray(emails.map((email) => email.emailId));
  const recipients = emails.flatMap(({ projectId, emailId, recipients, html, text }) => {
    const octets = (html?.length ?? 0) + (text?.length ?? 0);
    return recipients.map((address, recipientIndex) => ({
      projectId,
      emailId,
      recipientIndex,
      address,
      octets,
    }));
  });
  await sql`
    with email as (
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, stages)
      select project_id, id, created_at, sender, sender_address, to_list::text[], subject, tags::text[], array_fill(0::smallint, array[recipients::int])
      from unnest(
        ${projects}::uuid[], ${ids}::uuid[], ${timestampArray(emails.map((email) => timeOf(email.emailId)))}::timestamptz[],
        ${textArray(emails.map((email) => email.sender))}::text[], ${textArray(emails.map((email) => email.senderAddress))}::text[],
        ${textArray(emails.map((email) => textArrayLiteral(email.to)))}::text[],
        ${textArray(emails.map((email) => email.subject))}::text[],
        ${textArray(emails.map((email) => textArrayLiteral(email.tags)))}::text[],
        ${int2Array(emails.map((email) => email.recipients.length))}::smallint[]
      ) as e (project_id, id, created_at, sender, sender_address, to_list, subject, tags, recipients)
    ), content as (
      insert into email_contents (project_id, email_id, cc, bcc, reply_to, headers, html, text, tracking, trace_parent)
      select project_id, email_id, cc::text[], bcc::text[], reply_to, headers::json, html, text, tracking::json, trace_parent
      from unnest(
        ${projects}::uuid[], ${ids}::uuid[],
        ${textArray(emails.map((email) => textArrayLiteral(email.cc)))}::text[],
        ${textArray(emails.map((email) => textArrayLiteral(email.bcc)))}::text[],
        ${textArray(emails.map((email) => email.replyTo))}::text[],
        ${textArray(emails.map((email) => (email.headers === null ? null : JSON.stringify(email.headers))))}::text[],
        ${textArray(emails.map((email) => email.html))}::text[], ${textArray(emails.map((email) => email.text))}::text[],
        ${textArray(emails.map((email) => (email.tracking === null ? null : JSON.stringify(email.tracking))))}::text[],
        ${textArray(emails.map((email) => email.traceParent))}::text[]
      ) as c (project_id, email_id, cc, bcc, reply_to, headers, html, text, tracking, trace_parent)
    ), ${recordingQueued(emails)}, ${recordingStorage(storageByProject(emails))}
    insert into recipients (project_id, email_id, n, address, octets, next_attempt_at)
    select project_id, email_id, n, address, octets::int, now()
    from unnest(
      ${uuidArray(recipients.map((row) => row.projectId))}::uuid[], ${uuidArray(recipients.map((row) => row.emailId))}::uuid[],
      ${int2Array(recipients.map((row) => row.recipientIndex))}::smallint[], ${textArray(recipients.map((row) => row.address))}::text[],
      ${textArray(recipients.map((row) => String(row.octets)))}::text[]
    ) as r (project_id, email_id, n, address, octets)`.execute(database);
}

function storageByProject(emails: readonly NewEmail[]): Map<string, number> {
  const byProject = new Map<string, number>();
  for (const email of emails) {
    byProject.set(email.projectId, (byProject.get(email.projectId) ?? 0) + storedBytes(email));
  }
  return byProject;
}

export interface RememberedEmail {
  emailId: string;
  fingerprint: Buffer;
}

/** The email that an idempotency key belongs to, or null when the key is free (again). */
export async function findByIdempotencyKey(
  database: Database,
  projectId: string,
  key: string,
): Promise<RememberedEmail | null> {
  const row = await database
    .selectFrom('idempotencyKeys')
    .select(['emailId', 'fingerprint'])
    .where('projectId', '=', projectId)
    .where('key', '=', key)
    .where('createdAt', '>=', sql<Date>`now() - ${KEPT}`)
    .executeTakeFirst();
  return row ?? null;
}

/** Of the idempotency keys of a batch those that belong to an email, each as `${projectId} ${key}`. */
export async function findTakenKeys(
  tx: DatabaseTransaction,
  batch: readonly NewEmail[],
): Promise<Set<string>> {
  const keyed = batch.flatMap(({ projectId, idempotency }) =>
    idempotency === null ? [] : [{ projectId, key: idempotency.key }],
  );
  if (keyed.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`
    select project_id || ' ' || key as name
    from unnest(
      ${uuidArray(keyed.map(({ projectId }) => projectId))}::uuid[], ${textArray(keyed.map(({ key }) => key))}::text[]
    ) as k (project_id, key)
    join idempotency_keys using (project_id, key)
    where created_at >= now() - ${KEPT}`.execute(tx);
  return new Set(rows.map(({ name }) => name));
}

/** Deletes the keys that are free again. */
export async function forgetIdempotencyKeys(database: Database): Promise<void> {
  await sql`delete from idempotency_keys where created_at < now() - ${KEPT}`.execute(database);
}
