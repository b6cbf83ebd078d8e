/** Copies (RFC 9051, section 6.4.7) and moves (RFC 6851) messages within a mailbox. */
import { sql } from 'kysely';
import { recordingStorage } from '../accounts/usage.ts';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { expunging, readRows } from './expunge.ts';
import { FLAG, keywordsWith, spelledAs } from './flags.ts';
import { type FolderKey, inMailbox, type MailDatabase, type FolderLock } from './in-folder.ts';
import { keyOf, lockForStoring, lockMailboxes } from './lock-mailboxes.ts';
import {
  type FolderRef,
  folderOf,
  type LockedFolder,
  readFolders,
  takeUid,
  writingFolders,
} from './locked-folders.ts';
import { readStorageLeft } from './plan-storage.ts';
import { noteUsage, writingStates } from './usage.ts';
import { type MessageRow, octetsOf, recordingExpunged, removeMessages } from './remove-messages.ts';
import { MAX_UID, messagesIn, rangesAbove, rangesOf, type UidRange } from './uid-ranges.ts';

export type FileResult =
  /** The old and new UIDs of each message, in order, for COPYUID (RFC 9051, section 7.1). */
  | { outcome: 'filed'; folderId: string; uidValidity: number; uids: { from: number; to: number }[] }
  /** `no-target`: the target folder does not exist or has no UIDs left. `too-many`: more messages than can be copied at once. */
  | { outcome: 'no-folder' | 'no-target' | 'over-quota' | 'over-storage' | 'too-many' | 'bad-keywords' };

type Failure = Exclude<FileResult, { outcome: 'filed' }>['outcome'];

/** Maximum number of messages in one copy. */
export const MAX_COPIES = 200_000;
/** Messages copied per transaction. A transaction takes 0.2 s, during which nothing else can write to the mailbox. */
const COPIED_AT_ONCE = 10_000;
/** Messages moved per transaction. */
const BATCH = 1_000;

/**
 * Copies all messages, or none if the quota or the folder has no capacity for all. Many messages are copied in several transactions. If a
 * transaction fails, the copies made by earlier transactions are deleted again. Partial copies remain only if the process is killed between
 * two transactions.
 * @param onBatch called after each commit that changed the target
 */
export async function copyMessages(
  mail: MailDatabase,
  key: FolderKey,
  ranges: readonly UidRange[],
  target: FolderRef,
  onBatch: (folderId: string) => void,
): Promise<FileResult> {
  const copying: Copying = { ranges, target, until: null };
  const uids: { from: number; to: number }[] = [];
  let folderId = '';
  const undo = async (): Promise<void> => {
    if (uids.length > 0) await deleteCopies(mail, { ...key, folderId }, uids, () => onBatch(folderId));
  };
  for (;;) {
    let result: FileResult;
    try {
      result = await copySome(mail, key, copying);
    } catch (error) {
      await undo();
      throw error;
    }
    if (result.outcome !== 'filed') {
      await undo();
      return result;
    }
    ({ folderId } = result);
    if (result.uids.length > 0) onBatch(folderId);
    for (const each of result.uids) uids.push(each);
    if (result.uids.length < COPIED_AT_ONCE) return { ...result, uids };
    copying.ranges = rangesAbove(ranges, result.uids.at(-1)?.from ?? MAX_UID);
  }
}

interface Copying {
  /** The UIDs still to copy. */
  ranges: readonly UidRange[];
  target: FolderRef;
  /**
   * Only messages with UIDs below this value are copied. Otherwise, copying messages into their own folder would copy the copies again.
   * Null until the first batch.
   */
  until: number | null;
}

async function copySome(mail: MailDatabase, key: FolderKey, copying: Copying): Promise<FileResult> {
  // Computed outside the transaction function, which sets `until` and may run again after a conflict.
  const isFirst = copying.until === null;
  return mail.alone(key, () =>
    mail.database.transaction().execute(async (tx): Promise<FileResult> => {
      const { mailboxes, limits } = await lockForStoring(tx, [key]);
      const mailbox = mailboxes.get(keyOf(key));
      if (mailbox === undefined) return { outcome: 'no-folder' };
      const folders = await readSourceAndTarget(tx, key, copying.target);
      if (typeof folders === 'string') return { outcome: folders };
      const { from, to } = folders;
      copying.until ??= from.uidNext;
      const messages = await readRows(tx, { mailbox, folder: from }, copying.ranges, {
        also: sql`m.uid < ${copying.until}`,
        limit: COPIED_AT_ONCE,
      });
      const octets = octetsOf(messages);
      const all =
        isFirst && messages.length === COPIED_AT_ONCE
          ? await measure(tx, key, copying.ranges)
          : { octets, count: messages.length };
      if (all.count > MAX_COPIES) return { outcome: 'too-many' };
      if (all.octets > 0 && mailbox.octets + all.octets > mailbox.quotaOctets)
        return { outcome: 'over-quota' };
      const left = await readStorageLeft(tx, limits);
      if (all.octets > (left.get(key.projectId) ?? Number.POSITIVE_INFINITY))
        return { outcome: 'over-storage' };
      if (messages.length === 0) return filed(to, []);
      const taken = withKeywordsOf(to, messages);
      if (taken === null) return { outcome: 'bad-keywords' };
      mailbox.octets += octets;
      noteUsage(mailbox, false);
      const rows = putInto(to, taken);
      await sql`
        with ${writingFolders([to])}, ${writingStates([mailbox])},
        ${recordingStorage(new Map([[key.projectId, octets]]))}
        ${inserting(rows)}`.execute(tx);
      return filed(to, rows);
    }),
  );
}

const MEASURED = columnsOf({ count: 'int4', octets: 'float8' });

/** The number and total size of all messages to copy. */
async function measure(
  tx: DatabaseTransaction,
  key: FolderKey,
  ranges: readonly UidRange[],
): Promise<RowOf<typeof MEASURED>> {
  const { rows } = await MEASURED.sql`
    select count(*)::int as count, coalesce(sum(octets), 0)::float8 as octets
    from (select m.octets from ${messagesIn(key, ranges, MAX_COPIES + 1)} limit ${MAX_COPIES + 1}) m`.execute(
    tx,
  );
  return rows[0] ?? { count: 0, octets: 0 };
}

/** Deletes the copies from the target folder. */
async function deleteCopies(
  mail: MailDatabase,
  folder: FolderKey,
  copied: readonly { to: number }[],
  onBatch: () => void,
): Promise<void> {
  const ranges = rangesOf(copied.map(({ to }) => to));
  for await (const _ of expunging(mail, folder, { ranges, isDeletedOnly: false })) onBatch();
}

/**
 * Moves messages, in several transactions if there are many. Each message is in exactly one of the folders at any moment.
 * @param onBatch called after each commit that moved something
 */
export async function moveMessages(
  mail: MailDatabase,
  key: FolderKey,
  ranges: readonly UidRange[],
  target: FolderRef,
  onBatch: (folderId: string) => void,
): Promise<FileResult> {
  const uids: { from: number; to: number }[] = [];
  // Only messages with UIDs below this value are moved. Otherwise, messages that are moved into their own folder would be moved again and
  // again.
  let until: number | null = null;
  for (;;) {
    const result = await inMailbox(mail, key, async (tx, mailbox): Promise<FileResult> => {
      const folders = await readSourceAndTarget(tx, key, target);
      if (typeof folders === 'string') return { outcome: folders };
      until ??= folders.from.uidNext;
      return moveSome(tx, { mailbox, folder: folders.from }, folders.to, ranges, until);
    });
    if (result?.outcome !== 'filed') return result ?? { outcome: 'no-folder' };
    uids.push(...result.uids);
    if (result.uids.length > 0) onBatch(result.folderId);
    if (result.uids.length < BATCH) return { ...result, uids };
  }
}

/**
 * Moves at most 1,000 messages within the caller's transaction. Locks the mailbox.
 * @param changed returns a message as it is in the target. Default: unchanged
 */
export async function moveWithin(
  tx: DatabaseTransaction,
  key: FolderKey,
  ranges: readonly UidRange[],
  target: FolderRef,
  changed?: (message: MessageRow) => MessageRow,
): Promise<FileResult> {
  const mailbox = (await lockMailboxes(tx, [key])).get(keyOf(key));
  if (mailbox === undefined) return { outcome: 'no-folder' };
  const folders = await readSourceAndTarget(tx, key, target);
  if (typeof folders === 'string') return { outcome: folders };
  return moveSome(tx, { mailbox, folder: folders.from }, folders.to, ranges, MAX_UID, changed);
}

async function moveSome(
  tx: DatabaseTransaction,
  source: FolderLock,
  to: LockedFolder,
  ranges: readonly UidRange[],
  until: number,
  changed: (message: MessageRow) => MessageRow = (message) => message,
): Promise<FileResult> {
  const from = source.folder;
  const messages = await readRows(tx, source, ranges, { also: sql`m.uid < ${until}`, limit: BATCH });
  if (messages.length === 0) return filed(to, []);
  const taken = withKeywordsOf(to, messages)?.map(changed);
  if (taken === undefined) return { outcome: 'bad-keywords' };
  await removeMessages(tx, from, messages);
  const vanished = recordingExpunged(from, messages);
  const rows = putInto(to, taken);
  await sql`
    with ${writingFolders(from === to ? [to] : [from, to])}, ${vanished}
    ${inserting(rows)}`.execute(tx);
  return filed(to, rows);
}

async function readSourceAndTarget(
  tx: DatabaseTransaction,
  { projectId, mailboxId, folderId }: FolderKey,
  target: FolderRef,
): Promise<{ from: LockedFolder; to: LockedFolder } | Failure> {
  const [source, destination] = [
    { projectId, mailboxId, folder: { id: folderId } },
    { projectId, mailboxId, folder: target },
  ];
  const folders = await readFolders(tx, [source, destination]);
  const [from, to] = [folderOf(folders, source), folderOf(folders, destination)];
  if (from === undefined) return 'no-folder';
  return to === undefined || to.uidNext > MAX_UID - COPIED_AT_ONCE ? 'no-target' : { from, to };
}

interface FiledRow extends MessageRow {
  folder: LockedFolder;
  newUid: number;
  modseq: number;
  savedAt: Date;
}

/**
 * Spells the keywords of messages as the target folder spells them, and adds keywords that the folder does not have yet.
 * @returns null if the folder would have too many keywords
 */
function withKeywordsOf(folder: LockedFolder, messages: readonly MessageRow[]): MessageRow[] | null {
  const taken = messages.map((message) => ({
    ...message,
    keywords: spelledAs(folder.keywords, message.keywords),
  }));
  const all = keywordsWith(
    folder.keywords,
    taken.flatMap(({ keywords }) => keywords),
  );
  if (all === null) return null;
  folder.keywords = all;
  return taken;
}

/** Assigns UIDs and MODSEQs in a folder to messages and updates the folder's counters. */
function putInto(folder: LockedFolder, messages: readonly MessageRow[]): FiledRow[] {
  folder.added.messages += messages.length;
  folder.added.unseen += messages.filter(({ flags }) => (flags & FLAG.seen) === 0).length;
  folder.added.octets += octetsOf(messages);
  const savedAt = clock.now();
  return messages.map((message) => {
    folder.highestModseq += 1;
    return { ...message, folder, newUid: takeUid(folder), modseq: folder.highestModseq, savedAt };
  });
}

const MESSAGES = rowsOf<FiledRow>('m', {
  project_id: ['uuid', ({ folder }) => folder.projectId],
  mailbox_id: ['uuid', ({ folder }) => folder.mailboxId],
  folder_id: ['uuid', ({ folder }) => folder.id],
  uid: ['int4', ({ newUid }) => newUid],
  modseq: ['int8', ({ modseq }) => modseq],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
  object_id: ['uuid', ({ objectId }) => objectId],
  octets: ['int4', ({ octets }) => octets],
  internal_date: ['timestamptz', ({ internalDate }) => internalDate],
  save_date: ['timestamptz', ({ savedAt }) => savedAt],
});

function inserting(rows: readonly FiledRow[]) {
  return sql`insert into messages (${MESSAGES.names}) select ${MESSAGES.values} from ${MESSAGES.from(rows)}`;
}

function filed(to: LockedFolder, rows: readonly FiledRow[]): FileResult {
  return {
    outcome: 'filed',
    folderId: to.id,
    uidValidity: to.uidValidity,
    uids: rows.map(({ uid, newUid }) => ({ from: uid, to: newUid })),
  };
}
