import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';
import { FLAG } from './flags.ts';
import {
  byFolder,
  type FolderKey,
  type FolderLock,
  type MailDatabase,
  MAX_MESSAGES,
  type SharedWrite,
} from './in-folder.ts';
import { keyOf, lockMailboxes } from './lock-mailboxes.ts';
import { writingFolders } from './locked-folders.ts';
import {
  forgetContents,
  MESSAGE_ROW,
  type MessageRow,
  noteRemoved,
  recordingExpunged,
  releasingStorage,
} from './remove-messages.ts';
import { countOf, disjoint, isWithin, messagesIn, rangesOf, type UidRange } from './uid-ranges.ts';

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
    const step = await mail.share(key, EXPUNGING, { folder: key, which });
    if (step === null) return 'no-folder';
    if (step.uids.length > 0) yield step.uids;
    if (!step.hasMore) return 'done';
  }
}

interface ExpungeStep {
  folder: FolderKey;
  which: Expunging;
}

interface ExpungedStep {
  uids: number[];
  hasMore: boolean;
}

/** When several sessions expunge messages in one folder at the same time, the same statements serve all of them. */
const EXPUNGING: SharedWrite<ExpungeStep, ExpungedStep | null> = {
  // An expunge of a large range runs alone. Otherwise one transaction could delete `MAX_MESSAGES` in each of many folders, and an expunge of
  // one message would wait until a large one is complete.
  sizeOf: ({ which: { ranges } }) => (ranges === null ? MAX_MESSAGES : countOf(ranges)),
  run: (tx, mailbox, steps) =>
    byFolder(
      tx,
      steps,
      ({ which: { isDeletedOnly, savedBefore } }) => `${isDeletedOnly} ${savedBefore?.getTime()}`,
      (folder, alike) => expungeSome(tx, { mailbox, folder }, alike),
    ),
};

/**
 * Deletes messages in a folder permanently, within the caller's transaction. Locks the mailbox.
 * @param uids at most `MAX_MESSAGES`
 * @returns the UIDs of the deleted messages
 */
export async function expungeWithin(
  tx: DatabaseTransaction,
  key: FolderKey,
  uids: readonly number[],
): Promise<number[]> {
  if (uids.length === 0) return [];
  const mailbox = (await lockMailboxes(tx, [key])).get(keyOf(key));
  if (mailbox === undefined) return [];
  const which = { ranges: rangesOf(uids), isDeletedOnly: false };
  const [step] = await EXPUNGING.run(tx, mailbox, [{ folder: key, which }]);
  return step?.uids ?? [];
}

/** Expunges messages in a locked folder. @param steps differ only in their ranges */
async function expungeSome(
  tx: DatabaseTransaction,
  lock: FolderLock,
  steps: readonly ExpungeStep[],
): Promise<ExpungedStep[]> {
  const ranges = steps.map(({ which }) => disjoint(which.ranges ?? ALL));
  const { isDeletedOnly = true, savedBefore } = steps[0]?.which ?? {};
  const messages = await deleteRows(tx, lock, ranges.flat(), {
    also: sql`${isDeletedOnly ? sql`m.flags & ${sql.lit(FLAG.deleted)} <> 0` : sql`true`}
      and m.save_date < ${savedBefore ?? 'infinity'}::timestamptz`,
    limit: MAX_MESSAGES,
  });
  const { mailbox, folder } = lock;
  if (messages.length > 0) {
    noteRemoved(folder, messages);
    await forgetContents(
      tx,
      mailbox,
      messages,
      sql`${writingFolders([folder])}, ${recordingExpunged(folder, messages)}, ${releasingStorage(mailbox, messages)}`,
    );
  }
  // If several sessions expunge the same message at the same time, the message is reported only to the first of them.
  const ofStep = Map.groupBy(messages, ({ uid }) => ranges.findIndex((own) => isWithin(own, uid)));
  const hasMore = messages.length === MAX_MESSAGES;
  return steps.map((_, at) => ({ uids: (ofStep.get(at) ?? []).map(({ uid }) => uid), hasMore }));
}

const ALL: readonly UidRange[] = [{ first: 1, last: Number.POSITIVE_INFINITY }];

/** Deletes rows of messages in a locked folder. @returns the rows, sorted by UID */
async function deleteRows(
  tx: DatabaseTransaction,
  { folder: { projectId, mailboxId, id: folderId } }: FolderLock,
  ranges: readonly UidRange[],
  { also, limit }: { also: RawBuilder<unknown>; limit: number },
): Promise<MessageRow[]> {
  const { rows } = await MESSAGE_ROW.sql`
    delete from messages d
    where d.project_id = ${projectId} and d.mailbox_id = ${mailboxId} and d.folder_id = ${folderId} and d.uid = any (array(
      select m.uid from ${messagesIn({ projectId, mailboxId, folderId }, ranges, limit, also)} limit ${limit}))
    returning d.uid, d.flags, d.keywords, d.object_id, d.octets, d.internal_date`.execute(tx);
  return rows.sort((a, b) => a.uid - b.uid);
}

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
