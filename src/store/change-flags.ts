/** Changes the flags of messages (RFC 9051, section 6.4.6; RFC 7162, section 3.1.3). */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import { checkedKeywords, FLAG, keywordsWith, MAX_KEYWORDS, spelledAs } from './flags.ts';
import { byFolder, type FolderKey, type MailDatabase, MAX_MESSAGES, type SharedWrite } from './in-folder.ts';
import { lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import { type LockedFolder, readFolders, writingFolders } from './locked-folders.ts';
import { countOf, disjoint, isWithin, messagesIn, rangesAbove, type UidRange } from './uid-ranges.ts';

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
  | { outcome: 'no-folder' | KeywordFault };

/**
 * `bad-keyword`: a keyword is invalid. `message-keywords` and `folder-keywords`: a message or the folder would have too many keywords
 * (docs/mailboxes.md, Limits).
 */
type KeywordFault = 'bad-keyword' | 'message-keywords' | 'folder-keywords';

/** One step of a change: it changes the first messages in the ranges, at most `MAX_MESSAGES` of them. */
interface FlagStep {
  folder: FolderKey;
  ranges: readonly UidRange[];
  change: FlagChange;
}

interface ChangedStep {
  messages: ChangedMessage[];
  modified: number[];
  hasChanged: boolean;
  /** The last UID of this step if more messages may follow; otherwise null. */
  lastUid: number | null;
}

type StepResult = ChangedStep | KeywordFault;

/** When several sessions change flags in one folder at the same time, two statements make all their changes. */
const FLAGGING: SharedWrite<FlagStep, StepResult | null> = {
  sizeOf: ({ ranges }) => countOf(ranges),
  run: (tx, _, steps) =>
    byFolder(
      tx,
      steps,
      () => 'flags',
      (folder, own) => changeSome(tx, folder, own),
    ),
};

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
  if (change.keywords.some((keyword) => checkedKeywords([keyword]) === null))
    return { outcome: 'bad-keyword' };
  const keywords = checkedKeywords(change.keywords);
  if (keywords === null) return { outcome: 'message-keywords' };
  const all: FlagResult = { outcome: 'flagged', messages: [], modified: [] };
  for (let after = 0; ; ) {
    const batch = await mail.share(key, FLAGGING, {
      folder: key,
      ranges: rangesAbove(ranges, after),
      change: { ...change, keywords },
    });
    if (batch === null) return { outcome: 'no-folder' };
    if (typeof batch === 'string') return { outcome: batch };
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
 * @returns the messages that changed, by folder
 */
export async function flagWithin(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  objectId: string,
  added: Pick<FlagChange, 'flags' | 'keywords'>,
): Promise<{ folderId: string; uids: number[] }[]> {
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
  const changed: { folderId: string; uids: number[] }[] = [];
  for (const folder of folders) {
    const ranges = rows.flatMap(({ folderId, uid }) =>
      folderId === folder.id ? [{ first: uid, last: uid }] : [],
    );
    const step = {
      folder: { projectId, mailboxId, folderId: folder.id },
      ranges,
      change: { op: 'add', ...added } as const,
    };
    const [result] = await changeSome(tx, folder, [step]);
    if (typeof result === 'object' && result.hasChanged)
      changed.push({ folderId: folder.id, uids: changedUids(result.messages) });
  }
  return changed;
}

/** The UIDs of the messages that did not have the flags before. */
export function changedUids(messages: readonly ChangedMessage[]): number[] {
  return messages.filter(({ modseq, modseqBefore }) => modseq !== modseqBefore).map(({ uid }) => uid);
}

const CHANGED = rowsOf<FlaggedMessage>('c', {
  uid: ['int4', ({ uid }) => uid],
  modseq: ['int8', ({ modseq }) => modseq],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
});

/**
 * Makes changes in a locked folder. The results are the same as if the changes were made one after the other.
 * @param steps several steps only if they have at most `MAX_MESSAGES` UIDs together
 */
async function changeSome(
  tx: DatabaseTransaction,
  folder: LockedFolder,
  steps: readonly FlagStep[],
): Promise<StepResult[]> {
  const { projectId, mailboxId, id } = folder;
  const ranges = steps.flatMap((step) => step.ranges);
  const { rows } = await FLAGGED_MESSAGE.sql`
    select m.uid, m.modseq::float8 as modseq, m.flags, m.keywords
    from ${messagesIn({ projectId, mailboxId, folderId: id }, ranges, MAX_MESSAGES)}
    limit ${MAX_MESSAGES}`.execute(tx);
  const isCut = steps.length === 1 && rows.length === MAX_MESSAGES;
  const lastUid = isCut ? (rows.at(-1)?.uid ?? null) : null;
  const current = new Map(rows.map((row) => [row.uid, row]));
  const changed = new Map<number, FlaggedMessage>();
  const results = steps.map((step): StepResult => {
    const result = changeOne(folder, step, current);
    if (typeof result === 'string') return result;
    for (const message of result.changed) {
      current.set(message.uid, message);
      changed.set(message.uid, message);
    }
    const { messages, modified } = result;
    return { messages, modified, hasChanged: result.changed.length > 0, lastUid };
  });
  if (changed.size > 0)
    await sql`
      with ${writingFolders([folder])}
      update messages m set flags = c.flags, keywords = c.keywords::text[], modseq = c.modseq
      from ${CHANGED.from([...changed.values()])}
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${id} and m.uid = c.uid`.execute(
      tx,
    );
  return results;
}

/** Computes a change and updates the state of the folder. Changes nothing if a keyword is rejected. */
function changeOne(
  folder: LockedFolder,
  { ranges, change: requested }: FlagStep,
  current: ReadonlyMap<number, FlaggedMessage>,
): { messages: ChangedMessage[]; modified: number[]; changed: FlaggedMessage[] } | KeywordFault {
  const change = { ...requested, keywords: spelledAs(folder.keywords, requested.keywords) };
  const { unchangedSince = Number.POSITIVE_INFINITY } = change;
  const within = disjoint(ranges);
  const modseq = folder.highestModseq + 1;
  const changed: FlaggedMessage[] = [];
  const messages: ChangedMessage[] = [];
  const modified: number[] = [];
  let unseen = 0;
  for (const message of current.values()) {
    if (!isWithin(within, message.uid)) continue;
    if (message.modseq > unchangedSince) {
      modified.push(message.uid);
      continue;
    }
    const next = changedBy(change, message);
    if (next.keywords.length > MAX_KEYWORDS) return 'message-keywords';
    const isSame = next.flags === message.flags && next.keywords.join(' ') === message.keywords.join(' ');
    if (!isSame) {
      changed.push({ ...next, modseq });
      unseen += (message.flags & FLAG.seen) - (next.flags & FLAG.seen);
    }
    messages.push({ ...next, modseq: isSame ? message.modseq : modseq, modseqBefore: message.modseq });
  }
  const keywords = keywordsWith(
    folder.keywords,
    changed.flatMap((message) => message.keywords),
  );
  if (keywords === null) return 'folder-keywords';
  folder.keywords = keywords;
  folder.added.unseen += unseen;
  if (changed.length > 0) folder.highestModseq = modseq;
  return { messages, modified, changed };
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
