import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';

const BATCH = 500;

/**
 * Deletes, in batches: uploads not used by any draft for a day; the outcome of sent or rejected mail after a day; keys of
 * requests to send after 30 days; and rows of drafts whose
 * message is no longer in the mailbox, because a mail app deleted or changed it.
 */
export async function forgetDrafts(database: Database): Promise<void> {
  for (const work of [
    sql`
      delete from sent_keys where ctid = any (array(
        select ctid from sent_keys where created_at < now() - interval '30 days' limit ${BATCH}))`,
    sql`
      delete from drafts where ctid = any (array(
        select ctid from drafts where sent_at < now() - interval '1 day' limit ${BATCH}))`,
    sql`
      update drafts set problem = null where ctid = any (array(
        select ctid from drafts where problem is not null and saved_at < now() - interval '1 day' limit ${BATCH}))`,
    sql`
      delete from drafts where ctid = any (array(
        select d.ctid from drafts d
        where d.saved_at < now() - interval '1 day' and d.sends_at is null and not exists (
          select from messages m
          where m.project_id = d.project_id and m.mailbox_id = d.mailbox_id and m.object_id = d.object_id)
        limit ${BATCH})) and sends_at is null and saved_at < now() - interval '1 day'`,
    // A concurrent save updates `used_at`. After waiting for the row lock of that save, PostgreSQL checks the outer condition again.
    sql`
      delete from uploads where ctid = any (array(
        select u.ctid from uploads u
        where u.used_at < now() - interval '1 day' and not exists (
          select from drafts d
          where d.project_id = u.project_id and d.mailbox_id = u.mailbox_id and u.id = any (d.uploads))
        limit ${BATCH})) and used_at < now() - interval '1 day'`,
  ]) {
    for (let deleted = BATCH; deleted === BATCH; )
      deleted = Number((await work.execute(database)).numAffectedRows ?? 0);
  }
}
