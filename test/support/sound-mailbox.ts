import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { readUsage } from '../../src/accounts/usage.ts';
import type { Database } from '../../src/db/database.ts';
import { monthOf } from '../../src/model/month.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';

/** Asserts that counters, stored octets and derived tables of a mailbox agree with its messages. */
export async function assertSound(database: Database, { projectId, mailboxId }: MailboxKey): Promise<void> {
  const { rows } = await sql<{ fault: string }>`
    with m as (select * from messages where mailbox_id = ${mailboxId}),
    counted as (
      select f.*, (select count(*) from m where folder_id = f.id) as n,
        (select count(*) from m where folder_id = f.id and flags & 1 = 0) as u,
        (select coalesce(sum(octets), 0) from m where folder_id = f.id) as o,
        (select coalesce(max(uid), 0) from m where folder_id = f.id) as top_uid,
        (select coalesce(max(modseq), 0) from m where folder_id = f.id) as top_modseq
      from folders f where mailbox_id = ${mailboxId}
    )
    select 'folder ' || name || ' has other numbers' as fault from counted
    where (messages, unseen, octets) <> (n, u, o) or top_uid >= uid_next or top_modseq > highest_modseq
    union all select 'octets of the mailbox' from mailbox_states
    where mailbox_id = ${mailboxId} and octets <> (select coalesce(sum(octets), 0) from m)
    union all select 'contents' where (select count(*) from message_contents where mailbox_id = ${mailboxId})
      <> (select count(distinct object_id) from m)
    union all select 'a message without contents' from m
    where not exists (select from message_contents c where c.mailbox_id = m.mailbox_id and c.object_id = m.object_id)
    union all select 'a link to no thread' from thread_links l where mailbox_id = ${mailboxId}
      and not exists (select from message_contents c where c.mailbox_id = l.mailbox_id and c.thread_id = l.thread_id)
    union all (
      select 'a conversation of ' || coalesce(folder_id, is_folder_id) || ' has other numbers' from (
        select folder_id, thread_id, newest_at, newest_uid, messages, unseen, flagged, drafts, files, pinned
        from conversations where mailbox_id = ${mailboxId}) v
      full join (
        select folder_id as is_folder_id, c.thread_id as is_thread_id, max(internal_date) as is_newest_at,
          (array_agg(uid order by internal_date desc, uid desc))[1] as is_newest_uid, count(*) as n,
          count(*) filter (where flags & 1 = 0) as u, count(*) filter (where flags & 4 <> 0) as s,
          count(*) filter (where flags & 16 <> 0) as d, count(*) filter (where c.attachments > 0) as a,
          count(*) filter (where '$pinned' = any (keywords)) as p
        from m join message_contents c on c.mailbox_id = m.mailbox_id and c.object_id = m.object_id
        where uid >= (select unlisted_below from folders f where f.mailbox_id = m.mailbox_id and f.id = m.folder_id)
        group by 1, 2) i on folder_id = is_folder_id and thread_id = is_thread_id
      where (newest_at, newest_uid, messages, unseen, flagged, drafts, files, pinned)
        is distinct from (is_newest_at, is_newest_uid, n, u, s, d, a, p))
    union all select 'conversations of ' || f.name from folders f where mailbox_id = ${mailboxId} and name is not null
      and conversations <> (select count(*) from conversations v where v.mailbox_id = f.mailbox_id and v.folder_id = f.id)
    union all select 'an expunged message' from m join expunged x
      on x.mailbox_id = m.mailbox_id and x.folder_id = m.folder_id and m.uid between x.first_uid and x.last_uid`.execute(
    database,
  );
  assert.deepEqual(rows, []);
  const { rows: stored } = await sql<{ octets: number }>`
    select coalesce(sum(octets), 0)::float8 as octets from messages where project_id = ${projectId}`.execute(
    database,
  );
  const { storageBytes } = await readUsage(database, projectId, monthOf(new Date()));
  assert.deepEqual(stored, [{ octets: storageBytes }]);
}
