import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { readUsage } from '../../src/accounts/usage.ts';
import type { Database } from '../../src/db/database.ts';
import { monthOf } from '../../src/model/month.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';

/** Counters, bytes and what is kept beside the messages, by the messages themselves. */
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
    union all select 'an expunged message' from m join expunged x
      on x.mailbox_id = m.mailbox_id and x.folder_id = m.folder_id and m.uid between x.first_uid and x.last_uid`.execute(
    database,
  );
  assert.deepEqual(rows, []);
  const { rows: kept } = await sql<{ octets: number }>`
    select coalesce(sum(octets), 0)::float8 as octets from messages where project_id = ${projectId}`.execute(
    database,
  );
  const { storageBytes } = await readUsage(database, projectId, monthOf(new Date()));
  assert.deepEqual(kept, [{ octets: storageBytes }]);
}
