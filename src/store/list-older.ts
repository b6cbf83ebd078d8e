/** Background job that lists older messages as conversations: messages stored before conversations were introduced, newest first. */
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { FOLDER_KEY, type FolderKey, inFolder, MailDatabase } from './in-folder.ts';

/** Messages listed per transaction. A transaction takes tens of milliseconds, during which all other writes to the mailbox wait. */
export const LISTED_AT_A_TIME = 1_000;
/** Folders read per statement. */
const SLICE = 1_000;

/** @yields the number of messages in each batch */
export async function* listingOlder(database: Database): AsyncGenerator<number, void, void> {
  const mail = new MailDatabase(database);
  for (;;) {
    const { rows } = await FOLDER_KEY.sql`
      select project_id, mailbox_id, id as folder_id from folders where unlisted_below > 1 and name is not null
      order by project_id, mailbox_id, id limit ${SLICE}`.execute(database);
    for (const folder of rows)
      for (let listed: number | null = LISTED_AT_A_TIME; listed === LISTED_AT_A_TIME; yield listed ?? 0)
        listed = await listSome(mail, folder);
    if (rows.length < SLICE) return;
  }
}

/** @returns the number of listed messages; null if there is no such folder */
export function listSome(mail: MailDatabase, folder: FolderKey): Promise<number | null> {
  return inFolder(mail, folder, (tx) => listBatch(tx, folder));
}

const LISTED = columnsOf({ listed: 'int4' });

/** Uses the same rules as the trigger for copies (migration 0065) and as `listingNew` for new messages. */
async function listBatch(tx: DatabaseTransaction, folder: FolderKey): Promise<number> {
  const { projectId, mailboxId, folderId } = folder;
  const { rows } = await LISTED.sql`
    with older as (
      select m.* from messages m
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId} and m.uid < (
        select unlisted_below from folders f where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = ${folderId})
      order by m.uid desc limit ${LISTED_AT_A_TIME}
    ), listed as (
      insert into conversations as v
        (project_id, mailbox_id, folder_id, thread_id, newest_at, newest_uid, messages, unseen, flagged, drafts, files, pinned)
      select o.project_id, o.mailbox_id, o.folder_id, c.thread_id, max(o.internal_date),
        (array_agg(o.uid order by o.internal_date desc, o.uid desc))[1], count(*), count(*) filter (where o.flags & 1 = 0),
        count(*) filter (where o.flags & 4 <> 0), count(*) filter (where o.flags & 16 <> 0), count(*) filter (where c.attachments > 0),
        count(*) filter (where is_pinned(o.keywords))
      from older o cross join lateral (
        select thread_id, attachments from message_contents c
        where c.project_id = o.project_id and c.mailbox_id = o.mailbox_id and c.object_id = o.object_id limit 1) c
      group by o.project_id, o.mailbox_id, o.folder_id, c.thread_id
      on conflict (project_id, mailbox_id, folder_id, thread_id) do update set
        newest_at = greatest(v.newest_at, excluded.newest_at),
        newest_uid = case when (excluded.newest_at, excluded.newest_uid) > (v.newest_at, v.newest_uid)
          then excluded.newest_uid else v.newest_uid end,
        messages = v.messages + excluded.messages, unseen = v.unseen + excluded.unseen, flagged = v.flagged + excluded.flagged,
        drafts = v.drafts + excluded.drafts, files = v.files + excluded.files, pinned = v.pinned + excluded.pinned
      returning xmax = 0 as is_new
    )
    update folders f set conversations = f.conversations + (select count(*) filter (where is_new) from listed),
      unlisted_below = case when n.listed < ${LISTED_AT_A_TIME} then 1 else n.lowest end
    from (select count(*)::int as listed, min(uid) as lowest from older) n
    where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = ${folderId}
    returning n.listed`.execute(tx);
  return rows[0]?.listed ?? 0;
}
