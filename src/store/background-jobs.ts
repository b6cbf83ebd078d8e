/** Background jobs for mailboxes. They run in batches, in one worker across all machines (docs/mailboxes.md). */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import * as clock from '../model/clock.ts';
import { NIL_UUID } from '../model/ids.ts';
import { expunging } from './expunge.ts';
import { FOLDER_KEY, type FolderKey, inMailbox, MailDatabase } from './in-folder.ts';
import type { LockedMailbox } from './lock-mailboxes.ts';
import { notifyChanged } from './notices.ts';
import { forgetContents, MESSAGE_ROW, releasingStorage } from './remove-messages.ts';
import { TIMINGS } from './timings.ts';

type BackgroundJob = AsyncGenerator<number, void, void>;

/** Rows deleted per transaction. */
const BATCH = 500;
/** Folders read per statement. */
const SLICE = 1_000;

/** Deletes the messages of deleted folders, then the folders. */
export async function* deletingFolders(database: Database): BackgroundJob {
  const { rows } = await FOLDER_KEY.sql`
    select project_id, mailbox_id, id as folder_id from folders where name is null
    order by project_id, mailbox_id, id limit ${SLICE}`.execute(database);
  const mail = new MailDatabase(database);
  for (const folder of rows) {
    for (let deleted: number | null = 1; deleted !== null && deleted > 0; yield deleted ?? 0)
      deleted = await inMailbox(mail, folder, (tx, mailbox) => deleteSome(tx, mailbox, folder));
  }
}

/**
 * Deletes one batch from a deleted folder: first its messages, then its records of expunged messages, finally the folder itself. The
 * deleted messages are not recorded as expunged, because no session can read a deleted folder.
 * @returns the number of deleted messages or records; 0 when the folder is deleted
 */
async function deleteSome(
  tx: DatabaseTransaction,
  mailbox: LockedMailbox,
  { projectId, mailboxId, folderId }: FolderKey,
): Promise<number> {
  const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}`;
  const { rows } = await MESSAGE_ROW.sql`
    delete from messages where ${isOf} and uid = any (array(
      select uid from messages where ${isOf} order by uid limit ${BATCH}))
    returning uid, flags, keywords, object_id, octets, internal_date`.execute(tx);
  if (rows.length > 0) {
    await forgetContents(tx, mailbox, rows, releasingStorage(mailbox, rows));
    return rows.length;
  }
  const forgotten = await forgetSome(tx, isOf, null);
  if (forgotten.deleted === 0)
    // Mail apps may still know the UIDs under an adopted UIDVALIDITY (`adoptUids`). Others are never used again, because they increase.
    await sql`
      with gone as (
        delete from folders where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId}
        returning uid_validity, uid_reserved_below > 1 and uid_next > 1 as is_spent
      )
      update mailbox_states set spent_uid_validities = spent_uid_validities || gone.uid_validity from gone
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and gone.is_spent
        and gone.uid_validity <> all (spent_uid_validities)`.execute(tx);
  return forgotten.deleted;
}

const FORGOTTEN = columnsOf({ deleted: 'int4', modseq: 'float8' });

/**
 * Deletes records of expunged messages, oldest first.
 * @param before only records of messages expunged before this time; null for all records
 */
async function forgetSome(tx: DatabaseTransaction, isOf: RawBuilder<unknown>, before: Date | null) {
  const { rows } = await FORGOTTEN.sql`
    with gone as (
      delete from expunged where ${isOf} and modseq <= (
        select max(modseq) from (
          select modseq from expunged where ${isOf} and expunged_at < ${before ?? 'infinity'}::timestamptz
          order by modseq limit ${BATCH}) oldest)
      returning modseq
    )
    select count(*)::int as deleted, coalesce(max(modseq), 0)::float8 as modseq from gone`.execute(tx);
  return rows[0] ?? { deleted: 0, modseq: 0 };
}

/** Deletes records of messages that were expunged at least 90 days ago. A folder stores the MODSEQ up to which its records were deleted. */
export async function* forgettingExpunged(database: Database): BackgroundJob {
  const before = new Date(clock.nowMs() - TIMINGS.vanishedRetentionMs);
  for (;;) {
    const { rows } = await FOLDER_KEY.sql`
      select project_id, mailbox_id, folder_id from expunged where expunged_at < ${before}
      order by expunged_at limit 1`.execute(database);
    const [folder] = rows;
    if (folder === undefined) return;
    yield await database.transaction().execute(async (tx) => {
      const { projectId, mailboxId, folderId } = folder;
      const isOf = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}`;
      const { deleted, modseq } = await forgetSome(tx, isOf, before);
      await sql`
        update folders set forgotten_modseq = greatest(forgotten_modseq, ${modseq}::int8)
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId}`.execute(tx);
      return deleted;
    });
  }
}

/** Expunges messages that were moved to Junk or Trash at least 30 days ago, unless the mailbox is set to keep them. */
export async function* expungingOldJunk(database: Database): BackgroundJob {
  const savedBefore = new Date(clock.nowMs() - TIMINGS.junkRetentionMs);
  const mail = new MailDatabase(database);
  let last: FolderKey = { projectId: NIL_UUID, mailboxId: NIL_UUID, folderId: NIL_UUID };
  for (;;) {
    const folders = await foldersAfter(database, last, savedBefore);
    for (const { isOld, ...folder } of folders) {
      if (!isOld) continue;
      for await (const uids of expunging(mail, folder, { ranges: null, isDeletedOnly: false, savedBefore })) {
        await notifyChanged(database, [`${folder.mailboxId}/${folder.folderId}`]);
        yield uids.length;
      }
    }
    const end = folders.at(-1);
    if (end === undefined || folders.length < SLICE) return;
    last = end;
    yield folders.length;
  }
}

const DATED_FOLDER = columnsOf({ ...FOLDER_KEY.kinds, isOld: 'bool' });

/**
 * Reads the next Junk and Trash folders after the given one. `isOld` is true if messages in the folder must be expunged. To find out, only
 * the message with the lowest UID is read, because it was saved first.
 */
async function foldersAfter(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  savedBefore: Date,
): Promise<RowOf<typeof DATED_FOLDER>[]> {
  const { rows } = await DATED_FOLDER.sql`
    select f.project_id, f.mailbox_id, f.id as folder_id, b.empties_folders and f.messages > 0 and coalesce((
      select m.save_date < ${savedBefore} from messages m
      where m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id
      order by m.uid limit 1), false) as is_old
    from folders f join mailboxes b on b.project_id = f.project_id and b.id = f.mailbox_id
    where (f.project_id, f.mailbox_id, f.id) > (${projectId}::uuid, ${mailboxId}::uuid, ${folderId}::uuid)
      and f.role in ('junk', 'trash')
    order by f.project_id, f.mailbox_id, f.id limit ${SLICE}`.execute(database);
  return rows;
}
