/** Counts the usage of each project per day, for the usage page. A worker updates the counts every hour. */
import { sql } from 'kysely';
import { uuidArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { DAY_MS } from '../model/day.ts';
import { firstUuidAt, NIL_UUID } from '../model/ids.ts';
import { liveLinksOf } from './usage.ts';

/** Projects per statement. */
const BATCH = 50;
const KEPT_DAYS = 400;

/** Counts the usage of all projects, in batches. @yields the number of projects in each batch */
export async function* countingUsage(database: Database): AsyncGenerator<number, void, void> {
  const now = clock.nowMs();
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  for (let after = NIL_UUID; ; ) {
    const projects = await database
      .selectFrom('projects')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    const last = projects.at(-1);
    if (last === undefined) break;
    const ids = projects.map(({ id }) => id);
    await countDay(database, ids, today);
    await finishDay(database, ids, today - DAY_MS);
    yield ids.length;
    after = last.id;
  }
  await sql`delete from usage_days where day < ${dayOf(today - KEPT_DAYS * DAY_MS)}::date`.execute(database);
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** SQL for the number of emails that mailboxes of the project `p` sent on a day. */
function sentOn(ms: number) {
  const [first, end] = [firstUuidAt(new Date(ms)), firstUuidAt(new Date(ms + DAY_MS))];
  return sql`
    (select count(*) from submissions s
      where s.project_id = p.id and s.id >= ${first} and s.id < ${end} and s.kind = 'submitted')::int`;
}

async function countDay(database: Database, ids: readonly string[], ms: number): Promise<void> {
  await sql`
    insert into usage_days as u (project_id, day, storage_bytes, mailboxes, own_domains, mailbox_emails, file_link_bytes)
    select p.id, ${dayOf(ms)}::date,
      p.storage_bytes + (select coalesce(sum(c.bytes), 0) from storage_changes c where c.project_id = p.id),
      (select count(*) from mailboxes m where m.project_id = p.id),
      (select count(*) from domains d where d.project_id = p.id),
      ${sentOn(ms)},
      ${liveLinksOf(sql`p.id`)}
    from projects p where p.id = any (${uuidArray(ids)}::uuid[])
    on conflict (project_id, day) do update set storage_bytes = excluded.storage_bytes, mailboxes = excluded.mailboxes,
      own_domains = excluded.own_domains, file_link_bytes = excluded.file_link_bytes,
      -- Sent emails count even after their mailbox is deleted.
      mailbox_emails = greatest(u.mailbox_emails, excluded.mailbox_emails)`.execute(database);
}

/** Adds the emails that were sent in the last hour of a day, after the last count on that day. */
async function finishDay(database: Database, ids: readonly string[], ms: number): Promise<void> {
  await sql`
    update usage_days u set mailbox_emails = greatest(u.mailbox_emails, ${sentOn(ms)})
    from projects p where p.id = any (${uuidArray(ids)}::uuid[]) and u.project_id = p.id and u.day = ${dayOf(ms)}::date`.execute(
    database,
  );
}
