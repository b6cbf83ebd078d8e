/** Changes the flags of messages (RFC 9051, section 6.4.6; RFC 7162, section 3.1.3). */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { checkedKeywords, FLAG, keywordsWith, MAX_KEYWORDS, spelledAs } from './flags.ts';
import { type FolderKey, inFolder, type MailDatabase } from './in-folder.ts';
import { lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import { type LockedFolder, readFolders, writingFolders } from './locked-folders.ts';
import { messagesIn, type UidRange } from './uid-ranges.ts';

export interface FlagChange {
  op: 'add' | 'remove' | 'replace';
  /** Bits of `FLAG`. */
  flags: number;
  keywords: readonly string[];
  /** Messages with a greater MODSEQ are not changed. */
  unchangedSince?: number;
}

export const FLAGGED_MESSAGE = columnsOf({
  uid: 'int4',
  modseq: 'float8',
  flags: 'int2',
  keywords: 'text[]',
});
export type FlaggedMessage = RowOf<typeof FLAGGED_MESSAGE>;

/** `modseqBefore` is the MODSEQ before this change. It equals `modseq` if nothing changed. */
type ChangedMessage = FlaggedMessage & { modseqBefore: number };

export type FlagResult =
  /** `modified`: UIDs of messages that were not changed because their MODSEQ is greater than `unchangedSince`. */
  | { outcome: 'flagged'; messages: ChangedMessage[]; modified: number[] }
  | { outcome: 'no-folder' | 'bad-keywords' };

/** Messages changed per transaction. A transaction takes about 10 ms, during which nothing else can write to the mailbox. */
const BATCH = 1_000;

/**
 * Changes messages, in several transactions if there are many. A message that already has the flags keeps its MODSEQ.
 * @param onBatch called after each commit that changed something
 */
export async function changeFlags(
  mail: MailDatabase,
  key: FolderKey,
  ranges: readonly UidRange[],
  change: FlagChange,
  onBatch: () => void,
): Promise<FlagResult> {
  const keywords = checkedKeywords(change.keywords);
  if (keywords === null) return { outcome: 'bad-keywords' };
  const all: FlagResult = { outcome: 'flagged', messages: [], modified: [] };
  for (let after = 0; ; ) {
    const batch = await inFolder(mail, key, async (tx, { folder }) =>
      changeSome(tx, folder, ranges, after, { ...change, keywords }),
    );
    if (batch === null) return { outcome: 'no-folder' };
    if (batch === 'bad-keywords') return { outcome: batch };
    all.messages.push(...batch.messages);
    all.modified.push(...batch.modified);
    if (batch.hasChanged) onBatch();
    if (batch.lastUid === null) return all;
    after = batch.lastUid;
  }
}

const COPY = columnsOf({ folderId: 'uuid', uid: 'int4' });

/**
 * Adds flags to a message in all folders that have it, in the caller's transaction. Skips folders with no capacity for more keywords.
 * @returns the folders in which something changed
 */
export async function flagWithin(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  objectId: string,
  added: Pick<FlagChange, 'flags' | 'keywords'>,
): Promise<string[]> {
  await lockMailboxes(tx, [{ projectId, mailboxId }]);
  const { rows } = await COPY.sql`
    select m.folder_id, m.uid from messages m
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = ${objectId}`.execute(
    tx,
  );
  const folders = await readFolders(
    tx,
    rows.map(({ folderId }) => ({ projectId, mailboxId, folder: { id: folderId } })),
  );
  const changed: string[] = [];
  for (const folder of folders) {
    const ranges = rows.flatMap(({ folderId, uid }) =>
      folderId === folder.id ? [{ first: uid, last: uid }] : [],
    );
    const result = await changeSome(tx, folder, ranges, 0, { op: 'add', ...added });
    if (result !== 'bad-keywords' && result.hasChanged) changed.push(folder.id);
  }
  return changed;
}

const CHANGED = rowsOf<FlaggedMessage>('c', {
  uid: ['int4', ({ uid }) => uid],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
});

async function changeSome(
  tx: DatabaseTransaction,
  folder: LockedFolder,
  ranges: readonly UidRange[],
  after: number,
  requested: FlagChange,
) {
  const { projectId, mailboxId, id } = folder;
  const { rows } = await FLAGGED_MESSAGE.sql`
    select m.uid, m.modseq::float8 as modseq, m.flags, m.keywords
    from ${messagesIn({ projectId, mailboxId, folderId: id }, ranges, BATCH, sql`m.uid > ${after}`)}
    limit ${BATCH}`.execute(tx);
  const change = { ...requested, keywords: spelledAs(folder.keywords, requested.keywords) };
  const { unchangedSince = Number.POSITIVE_INFINITY } = change;
  const modseq = folder.highestModseq + 1;
  const changed: FlaggedMessage[] = [];
  const messages: ChangedMessage[] = [];
  for (const message of rows) {
    if (message.modseq > unchangedSince) continue;
    const next = changedBy(change, message);
    if (next.keywords.length > MAX_KEYWORDS) return 'bad-keywords';
    const isSame = next.flags === message.flags && next.keywords.join(' ') === message.keywords.join(' ');
    if (!isSame) {
      changed.push({ ...next, modseq });
      folder.added.unseen += (message.flags & FLAG.seen) - (next.flags & FLAG.seen);
    }
    messages.push({ ...next, modseq: isSame ? message.modseq : modseq, modseqBefore: message.modseq });
  }
  const keywords = keywordsWith(
    folder.keywords,
    changed.flatMap((message) => message.keywords),
  );
  if (keywords === null) return 'bad-keywords';
  folder.keywords = keywords;
  if (changed.length > 0) {
    folder.highestModseq = modseq;
    await sql`
      with ${writingFolders([folder])}
      update messages m set flags = c.flags, keywords = c.keywords::text[], modseq = ${modseq}
      from ${CHANGED.from(changed)}
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${id} and m.uid = c.uid`.execute(
      tx,
    );
  }
  return {
    messages,
    modified: rows.filter((row) => row.modseq > unchangedSince).map(({ uid }) => uid),
    hasChanged: changed.length > 0,
    lastUid: rows.length < BATCH ? null : (rows.at(-1)?.uid ?? null),
  };
}

function changedBy({ op, flags, keywords }: FlagChange, message: FlaggedMessage): FlaggedMessage {
  if (op === 'replace') return { ...message, flags, keywords: [...keywords] };
  if (op === 'remove')
    return {
      ...message,
      flags: message.flags & ~flags,
      keywords: message.keywords.filter((keyword) => !keywords.includes(keyword)),
    };
  return {
    ...message,
    flags: message.flags | flags,
    keywords: [...new Set([...message.keywords, ...keywords])].sort(),
  };
}
