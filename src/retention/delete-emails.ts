/** Deletes emails with all their rows in other tables. */
import { sql } from 'kysely';
import { dayOf, recordingStorage } from '../accounts/usage.ts';
import { columnsOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { timeOf } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { unindexEmails } from '../insights/search/segments.ts';
import { deleteDeliveries } from './delete-log.ts';
import { among, type EmailDelivery, findDeliveries, lockBusy } from './deleting.ts';

const DELETED = columnsOf({ bytes: 'float8', copies: 'int4' });

export interface DeletedEmails {
  emailIds: string[];
  deliveries: number;
  sandboxCopies: number;
}

/** Deletes emails, except emails with a pending recipient or a pending webhook delivery. */
export async function deleteEndedEmails(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<DeletedEmails> {
  const busy = await lockBusy(tx, projectId, emailIds);
  const ended = await lockEmails(
    tx,
    projectId,
    emailIds.filter((id) => !busy.has(id)),
  );
  const deliveries = await findDeliveries(tx, projectId, ended);
  for (const { emailId, isPending } of deliveries) if (isPending) busy.add(emailId);
  return deleteRows(
    tx,
    projectId,
    ended.filter((id) => !busy.has(id)),
    deliveries.filter(({ emailId }) => !busy.has(emailId)),
  );
}

/** Deletes emails even if recipients or webhook deliveries are pending. The caller has locked the recipients. */
export async function deleteAnyEmails(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<DeletedEmails> {
  const locked = await lockEmails(tx, projectId, emailIds);
  return deleteRows(tx, projectId, locked, await findDeliveries(tx, projectId, locked));
}

/** Locks emails, so that no events are added to them until the transaction ends. @returns the ids of the emails that exist */
async function lockEmails(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .selectFrom('emails')
    .select('id')
    .where('projectId', '=', projectId)
    .where('id', '=', among(emailIds))
    // Lock in key order, so that two transactions do not deadlock.
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

async function deleteRows(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: string[],
  deliveries: readonly EmailDelivery[],
): Promise<DeletedEmails> {
  if (emailIds.length === 0) return { emailIds, deliveries: 0, sandboxCopies: 0 };
  for (const [webhookId, own] of Map.groupBy(deliveries, (delivery) => delivery.webhookId)) {
    const ids = own.map(({ id }) => id);
    await deleteDeliveries(tx, { projectId, webhookId }, ids, 'all');
  }
  const { rows } = await DELETED.sql`
    with email as (
      delete from emails where project_id = ${projectId} and id = ${among(emailIds)}
      returning id, tags, octet_length(subject) as bytes
    ), content as (
      delete from email_contents where project_id = ${projectId} and email_id = ${among(emailIds)}
      returning coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0)
        + coalesce(octet_length(headers::text), 0) as bytes
    ), message as (
      delete from email_messages where project_id = ${projectId} and email_id = ${among(emailIds)} returning octets
    ), recipient as (
      delete from email_recipients where project_id = ${projectId} and email_id = ${among(emailIds)}
    ), queued as (
      delete from queue where project_id = ${projectId} and email_id = ${among(emailIds)}
    ), event as (
      delete from events where project_id = ${projectId} and email_id = ${among(emailIds)}
    ), tag as (
      delete from email_tags t using (select id, unnest(tags) as tag from email) e
      where t.project_id = ${projectId} and t.tag = e.tag and t.email_id = e.id
    ), waiting as (
      delete from waiting_bodies where project_id = ${projectId} and email_id = ${among(emailIds)}
    ), copy as (
      delete from sandbox_messages where project_id = ${projectId} and email_id = ${among(emailIds)} returning 1
    )
    select (coalesce((select sum(bytes) from email), 0) + coalesce((select sum(bytes) from content), 0)
             + coalesce((select sum(octets) from message), 0))::float8 as bytes,
           (select count(*) from copy)::int as copies`.execute(tx);
  const [row = { bytes: 0, copies: 0 }] = rows;
  await releaseStorage(tx, new Map([[projectId, row.bytes]]));
  await countDeleted(tx, monthsOf(projectId, emailIds));
  await unindexEmails(tx, projectId, emailIds);
  return { emailIds, deliveries: deliveries.length, sandboxCopies: row.copies };
}

/** Subtracts bytes from the metered storage of projects. */
export async function releaseStorage(
  tx: DatabaseTransaction,
  bytesOf: ReadonlyMap<string, number>,
): Promise<void> {
  const given = [...bytesOf].filter(([, bytes]) => bytes > 0);
  const changes = new Map(given.map(([projectId, bytes]) => [projectId, -bytes]));
  if (changes.size > 0) await sql`with ${recordingStorage(changes)} select`.execute(tx);
}

export interface DeletedCount {
  projectId: string;
  /** The day that `deleted_emails` stores for a month: see `dayOf`. */
  day: string;
  emails: number;
}

function monthsOf(projectId: string, emailIds: readonly string[]): DeletedCount[] {
  const byMonth = Map.groupBy(emailIds, (id) => dayOf(monthOf(timeOf(id))));
  return Array.from(byMonth, ([day, { length }]) => ({ projectId, day, emails: length }));
}

const COUNTS = rowsOf<DeletedCount>('c', {
  project_id: ['uuid', ({ projectId }) => projectId],
  month: ['date', ({ day }) => day],
  emails: ['int8', ({ emails }) => emails],
});

/**
 * Adds to the numbers of deleted emails per month. Deleted emails still count toward a plan's limits, so call this in the transaction that
 * deletes the emails.
 */
export async function countDeleted(tx: DatabaseTransaction, counts: readonly DeletedCount[]): Promise<void> {
  if (counts.length === 0) return;
  await sql`
    insert into deleted_emails as d (${COUNTS.names}) select ${COUNTS.values} from ${COUNTS.from(counts)}
    on conflict (project_id, month) do update set emails = d.emails + excluded.emails`.execute(tx);
}
