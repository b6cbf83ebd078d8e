import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';
import { FLAG } from './flags.ts';
import { type FolderKey, inFolder, type MailDatabase, type FolderLock } from './in-folder.ts';
import { writingFolders } from './locked-folders.ts';
import {
  forgetContents,
  MESSAGE_ROW,
  type MessageRow,
  recordingExpunged,
  releasingStorage,
  removeMessages,
} from './remove-messages.ts';
import { messagesIn, type UidRange } from './uid-ranges.ts';

/** Messages expunged per transaction. */
const BATCH = 1_000;

/** The messages in a folder to expunge. `ranges` is null for all messages. */
export interface Expunging {
  ranges: readonly UidRange[] | null;
  /** Whether to expunge only messages with \Deleted (RFC 9051, section 6.4.3). */
  isDeletedOnly: boolean;
  /** If set, only messages that were put into the folder before this time are expunged. */
  savedBefore?: Date;
}

/**
 * Deletes messages in a folder permanently, in batches.
 * @yields the UIDs of each batch after its commit
 * @returns whether the folder exists
 */
export async function* expunging(
  mail: MailDatabase,
  key: FolderKey,
  which: Expunging,
): AsyncGenerator<number[], 'no-folder' | 'done', void> {
  for (;;) {
    const uids = await inFolder(mail, key, (tx, lock) => expungeSome(tx, lock, which));
    if (uids === null) return 'no-folder';
    if (uids.length > 0) yield uids;
    if (uids.length < BATCH) return 'done';
  }
}

async function expungeSome(
  tx: DatabaseTransaction,
  lock: FolderLock,
  { ranges, isDeletedOnly, savedBefore }: Expunging,
): Promise<number[]> {
  const messages = await readRows(tx, lock, ranges, {
    also: sql`${isDeletedOnly ? sql`m.flags & ${sql.lit(FLAG.deleted)} <> 0` : sql`true`}
      and m.save_date < ${savedBefore ?? 'infinity'}::timestamptz`,
    limit: BATCH,
  });
  if (messages.length === 0) return [];
  const { mailbox, folder } = lock;
  await removeMessages(tx, folder, messages);
  await sql`
    with ${writingFolders([folder])}, ${recordingExpunged(folder, messages)}, ${releasingStorage(mailbox, messages)}
    select`.execute(tx);
  await forgetContents(tx, mailbox, messages);
  return messages.map(({ uid }) => uid);
}

const ALL: readonly UidRange[] = [{ first: 1, last: Number.POSITIVE_INFINITY }];

/** Reads messages in a locked folder, sorted by UID. @param ranges null for all messages */
export async function readRows(
  tx: DatabaseTransaction,
  { folder: { projectId, mailboxId, id } }: FolderLock,
  ranges: readonly UidRange[] | null,
  { also = sql`true`, limit }: { also?: RawBuilder<unknown>; limit: number },
): Promise<MessageRow[]> {
  const { rows } = await MESSAGE_ROW.sql`
    select m.uid, m.flags, m.keywords, m.object_id, m.octets, m.internal_date
    from ${messagesIn({ projectId, mailboxId, folderId: id }, ranges ?? ALL, limit, also)}
    limit ${limit}`.execute(tx);
  return rows;
}
