/** Deletes the bodies of emails, but keeps the emails. */
import { sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import { columnsOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { unindexEmails } from '../insights/search/segments.ts';
import { among, lockBusy } from './deleting.ts';
import { releaseStorage } from './delete-emails.ts';

const BODIES = columnsOf({ bytes: 'float8', emails: 'int4' });
const TEXTS = columnsOf({ bytes: 'float8' });

/**
 * Deletes the bodies of emails (docs/contract.md, Deleted emails). An email with pending recipients still needs its body, so the email is
 * added to `waiting_bodies`, and its body is deleted later.
 * @param redacts whether to delete the subject, the header fields and the tags too
 * @returns the number of emails whose bodies were deleted
 */
export async function deleteBodies(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
  redacts: boolean,
): Promise<number> {
  const busy = await lockBusy(tx, projectId, emailIds);
  const ended = emailIds.filter((id) => !busy.has(id));
  await sql`
    insert into waiting_bodies as w (project_id, email_id, redacts)
    select ${projectId}, id, ${redacts} from unnest(${uuidArray([...busy])}::uuid[]) id
    on conflict (project_id, email_id) do update set redacts = w.redacts or excluded.redacts`.execute(tx);
  const { rows } = await BODIES.sql`
    with old as materialized (
      select email_id, coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) as bytes
      from email_contents
      where project_id = ${projectId} and email_id = ${among(ended)} and bodies_deleted_at is null
      order by email_id for update
    ), emptied as (
      update email_contents set html = null, text = null, bodies_deleted_at = now()
      where project_id = ${projectId} and email_id = any (array(select email_id from old))
    ), message as (
      delete from email_messages where project_id = ${projectId} and email_id = any (array(select email_id from old))
      returning octets
    ), copy as (
      delete from sandbox_messages where project_id = ${projectId} and email_id = ${among(ended)}
    ), waiting as (
      delete from waiting_bodies where project_id = ${projectId} and email_id = ${among(ended)}
    )
    select (coalesce(sum(bytes), 0) + (select coalesce(sum(octets), 0) from message))::float8 as bytes, count(*)::int as emails from old`.execute(
    tx,
  );
  const [{ bytes, emails } = { bytes: 0, emails: 0 }] = rows;
  // No pending recipient needs the values of its template. Last, because the statements above wait for locks.
  if (busy.size > 0)
    await sql`delete from template_uses where project_id = ${projectId} and email_id = ${among([...busy])}`.execute(
      tx,
    );
  const textBytes = redacts ? await deleteTexts(tx, projectId, ended) : 0;
  await releaseStorage(tx, new Map([[projectId, bytes + textBytes]]));
  return emails;
}

/** Deletes the subjects, header fields and tags of emails. @returns by how many bytes this reduces the metered storage */
async function deleteTexts(
  tx: DatabaseTransaction,
  projectId: string,
  emailIds: readonly string[],
): Promise<number> {
  const { rows } = await TEXTS.sql`
    with old as materialized (
      select e.id, e.tags, octet_length(e.subject) + coalesce(octet_length(c.headers::text), 0) as bytes
      from emails e join email_contents c on c.project_id = e.project_id and c.email_id = e.id
      where e.project_id = ${projectId} and e.id = ${among(emailIds)}
      order by e.id for update of e
    ), tag as (
      delete from email_tags t using (select id, unnest(tags) as tag from old) o
      where t.project_id = ${projectId} and t.tag = o.tag and t.email_id = o.id
    ), email as (
      update emails set subject = '', tags = '{}'
      where project_id = ${projectId} and id = any (array(select id from old))
    ), content as (
      update email_contents set headers = null
      where project_id = ${projectId} and email_id = any (array(select id from old))
    )
    select coalesce(sum(bytes), 0)::float8 as bytes from old`.execute(tx);
  await unindexEmails(tx, projectId, emailIds);
  return rows[0]?.bytes ?? 0;
}
