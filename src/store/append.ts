/**
 * Messages come into mailboxes. One transaction for many hand-overs: it locks the mailboxes, looks what they have room for, and
 * writes bytes, index, counters, UIDs and MODSEQs in one statement.
 */
import { sql } from 'kysely';
import { recordingStorage } from '../accounts/usage.ts';
import { type StoredBlob, keepingBlobs } from '../blobs/stored-blob.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { MessageFacts } from './facts/message-facts.ts';
import { checkedKeywords, FLAG, keywordsWith, spelledAs } from './flags.ts';
import { keyOf, type LockedMailbox, lockMailboxes, type MailboxKey } from './lock-mailboxes.ts';
import {
  type FolderRef,
  type FolderRequest,
  folderOf,
  type LockedFolder,
  readFolders,
  writingFolders,
} from './locked-folders.ts';
import { listingNew, SAYING_LISTED } from './list-new.ts';
import { lockLimitedProjects, readStorageLeft } from './plan-storage.ts';
import { noteUsage, writingStates } from './usage.ts';
import { MAX_UID } from './uid-ranges.ts';
import { TIMINGS } from './search/timings.ts';
import { joinThread, threadLinksOf } from './threads.ts';

/** One message for one folder. */
export interface NewMessage extends MailboxKey {
  folder: FolderRef;
  /** Of the same project. */
  blob: StoredBlob;
  facts: MessageFacts;
  /** Bits of `FLAG`. */
  flags: number;
  keywords: readonly string[];
  /** Keywords for which its folder has no room are left out, and do not keep it out. Default: no. */
  mayLoseKeywords?: boolean;
  /** Null: now (RFC 9051, section 2.3.3). */
  internalDate: Date | null;
  /** What is known of who sent it, and what speaks for spam; null: it did not come by SMTP. */
  authentication: object | null;
  spam: object | null;
  /** It is stored though the mailbox or its project is full: whoever brings it was told that there is room. Default: no. */
  mayExceedQuota?: boolean;
  /** The uuid by which whoever brings it knows it: a mailbox that has it already is not given it again. Default: a new one. */
  objectId?: string;
}

export type AppendResult =
  | {
      outcome: 'stored';
      folderId: string;
      uidValidity: number;
      uid: number;
      modseq: number;
      objectId: string;
    }
  /**
   * `over-quota`: of the mailbox. `over-storage`: of the project's plan. `bad-keywords`: they are none, or more than a message
   * or its folder may have (docs/mailboxes.md, Limits).
   */
  | { outcome: 'over-quota' | 'over-storage' | 'no-mailbox' | 'no-folder' | 'bad-keywords' }
  /** It was brought before, by its `objectId`. */
  | { outcome: 'already-there' };

interface Admitted extends NewMessage {
  folderRow: LockedFolder;
  uid: number;
  modseq: number;
  objectId: string;
  /** It may be behind segments of the index of words. */
  isLate: boolean;
  threadId: string;
  internalDate: Date;
  saveDate: Date;
}

/** Everything that a batch counts on, as it is under the locks. */
interface Ground {
  mailboxes: Map<string, LockedMailbox>;
  folders: LockedFolder[];
  /** Bytes, by project; one without a limit is not in it. */
  storageLeft: Map<string, number>;
  /** Thread by mailbox and link. */
  threads: Map<string, Map<string, string>>;
  /** Those of them that there were before. */
  oldThreads: Set<string>;
  /** What mailboxes have of what was brought under a name: `<mailbox> <object>`. */
  there: Set<string>;
}

export interface AppendOptions {
  /** They say that mailboxes are nearly full: each is stored only where it is still due. */
  areWarnings?: boolean;
  /** When one finds no room none is stored, and that is the result of all. */
  isWhole?: boolean;
}

/**
 * Writes a batch in one transaction. What finds no room is left out, and the rest is stored.
 * @returns one result for each message, in order
 */
export function appendBatch(
  database: Database,
  batch: readonly NewMessage[],
  options: AppendOptions = {},
): Promise<AppendResult[]> {
  return database.transaction().execute((tx) => appendWithin(tx, batch, options));
}

/** As `appendBatch`, for a transaction that writes more: it locks the mailboxes, as the last of what it locks. */
export async function appendWithin(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
  { areWarnings = false, isWhole = false }: AppendOptions = {},
): Promise<AppendResult[]> {
  if (batch.length === 0) return [];
  const ground = await lockGround(tx, batch);
  const admitted: Admitted[] = [];
  const results = batch.map((message): AppendResult => {
    const admission = admit(message, ground, areWarnings);
    if ('outcome' in admission) return admission;
    admitted.push(admission);
    return resultOf(admission);
  });
  const failed = results.find(({ outcome }) => outcome !== 'stored');
  if (isWhole && failed !== undefined) return results.map(() => failed);
  const isFull = (at: number) => ['over-quota', 'over-storage'].includes(results[at]?.outcome ?? '');
  const refused = new Set(batch.filter((_, at) => isFull(at)).map(keyOf));
  for (const mailbox of ground.mailboxes.values()) noteUsage(mailbox, refused.has(keyOf(mailbox)));
  await write(tx, ground, admitted);
  return results;
}

export function resultOf({ uid, modseq, objectId, folderRow }: Admitted): AppendResult {
  const { id: folderId, uidValidity } = folderRow;
  return { outcome: 'stored', folderId, uidValidity, uid, modseq, objectId };
}

/** @param also folders that the transaction changes, of the same mailboxes */
export async function lockGround(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
  also: readonly FolderRequest[] = [],
): Promise<Ground> {
  const limited = await lockLimitedProjects(
    tx,
    new Set([...batch, ...also].map(({ projectId }) => projectId)),
  );
  const mailboxes = await lockMailboxes(tx, [...batch, ...also]);
  // Statements of their own: they have to see what was committed while the locks were waited for.
  const folders = await readFolders(tx, [...batch, ...also]);
  const threads = await readThreads(tx, batch);
  const oldThreads = new Set([...threads.values()].flatMap((links) => [...links.values()]));
  const storageLeft = await readStorageLeft(tx, limited);
  const there = await readThere(tx, batch);
  return { mailboxes, folders, threads, oldThreads, storageLeft, there };
}

const OBJECTS = rowsOf<NewMessage>('o', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  object_id: ['uuid', ({ objectId }) => objectId ?? null],
});

const THERE = columnsOf({ mailboxId: 'uuid', objectId: 'uuid' });

async function readThere(tx: DatabaseTransaction, batch: readonly NewMessage[]): Promise<Set<string>> {
  const named = batch.filter(({ objectId }) => objectId !== undefined);
  if (named.length === 0) return new Set();
  const { rows } = await THERE.sql`
    select mailbox_id, object_id from ${OBJECTS.from(named)} join message_contents using (project_id, mailbox_id, object_id)`.execute(
    tx,
  );
  return new Set(rows.map(({ mailboxId, objectId }) => `${mailboxId} ${objectId}`));
}

const LINKS = rowsOf<MailboxKey & { link: string }>('l', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  link: ['uuid', ({ link }) => link],
});

const THREAD_LINK = columnsOf({ mailboxId: 'uuid', link: 'uuid', threadId: 'uuid' });

async function readThreads(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
): Promise<Map<string, Map<string, string>>> {
  const links = batch.flatMap(({ projectId, mailboxId, facts }) =>
    threadLinksOf(facts).looksFor.map((link) => ({ projectId, mailboxId, link })),
  );
  const { rows } = await THREAD_LINK.sql`
    select mailbox_id, link, thread_id from ${LINKS.from(links)} join thread_links using (project_id, mailbox_id, link)`.execute(
    tx,
  );
  const threads = new Map(batch.map(({ mailboxId }) => [mailboxId, new Map<string, string>()]));
  for (const { mailboxId, link, threadId } of rows) threads.get(mailboxId)?.set(link, threadId);
  return threads;
}

/** Takes what the message needs of UIDs, quota and storage, or nothing. */
export function admit(
  message: NewMessage,
  ground: Ground,
  isWarning: boolean,
): Admitted | Exclude<AppendResult, { outcome: 'stored' }> {
  const { projectId, mailboxId, blob, flags } = message;
  const mailbox = ground.mailboxes.get(keyOf(message));
  if (mailbox === undefined || (isWarning && !mailbox.warningDue)) return { outcome: 'no-mailbox' };
  const objectId = message.objectId ?? newUuid();
  if (ground.there.has(`${mailboxId} ${objectId}`)) return { outcome: 'already-there' };
  const folderRow = folderOf(ground.folders, message);
  if (folderRow === undefined || folderRow.uidNext === MAX_UID) return { outcome: 'no-folder' };
  const asked = checkedKeywords(message.keywords);
  let keywords = spelledAs(folderRow.keywords, asked ?? []);
  let all = asked === null ? null : keywordsWith(folderRow.keywords, keywords);
  if (message.mayLoseKeywords === true && all === null) [keywords, all] = [[], folderRow.keywords];
  if (all === null) return { outcome: 'bad-keywords' };
  if (message.mayExceedQuota !== true && mailbox.octets + blob.size > mailbox.quotaOctets)
    return { outcome: 'over-quota' };
  const storageLeft = ground.storageLeft.get(projectId);
  if (message.mayExceedQuota !== true && storageLeft !== undefined && blob.size > storageLeft)
    return { outcome: 'over-storage' };

  ground.there.add(`${mailboxId} ${objectId}`);
  mailbox.octets += blob.size;
  if (isWarning) mailbox.warningDue = false;
  if (storageLeft !== undefined) ground.storageLeft.set(projectId, storageLeft - blob.size);
  folderRow.keywords = all;
  folderRow.highestModseq += 1;
  folderRow.added.messages += 1;
  folderRow.added.octets += blob.size;
  if ((flags & FLAG.seen) === 0) folderRow.added.unseen += 1;
  const saveDate = clock.now();
  return {
    ...message,
    keywords,
    folderRow,
    uid: folderRow.uidNext++,
    modseq: folderRow.highestModseq,
    objectId,
    isLate: saveDate.getTime() - timeOf(objectId).getTime() > TIMINGS.lateMs,
    threadId: joinThread(threadLinksOf(message.facts), ground.threads.get(mailboxId) ?? new Map()),
    internalDate: message.internalDate ?? saveDate,
    saveDate,
  };
}

const MESSAGES = rowsOf<Admitted>('m', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  folder_id: ['uuid', ({ folderRow }) => folderRow.id],
  uid: ['int4', ({ uid }) => uid],
  modseq: ['int8', ({ modseq }) => modseq],
  flags: ['int2', ({ flags }) => flags],
  keywords: ['text[]', ({ keywords }) => keywords],
  object_id: ['uuid', ({ objectId }) => objectId],
  octets: ['int4', ({ blob }) => blob.size],
  internal_date: ['timestamptz', ({ internalDate }) => internalDate],
  save_date: ['timestamptz', ({ saveDate }) => saveDate],
});

const CONTENTS = rowsOf<Admitted>('c', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  object_id: ['uuid', ({ objectId }) => objectId],
  digest: ['bytea', ({ blob }) => blob.digest],
  octets: ['int4', ({ blob }) => blob.size],
  thread_id: ['uuid', ({ threadId }) => threadId],
  message_id: ['text', ({ facts }) => facts.messageId],
  subject: ['text', ({ facts }) => facts.subject],
  base_subject: ['text', ({ facts }) => facts.baseSubject],
  addresses: ['json', ({ facts: { from, replyTo, to, cc, bcc } }) => ({ from, replyTo, to, cc, bcc })],
  sent_at: ['timestamptz', ({ facts }) => facts.sentAt],
  preview: ['text', ({ facts }) => facts.preview],
  attachments: ['int4', ({ facts }) => facts.attachments],
  crlf_growth: ['int4', ({ facts }) => facts.crlfGrowth],
  envelope: ['text', ({ facts }) => facts.envelope],
  body_structure: ['text', ({ facts }) => facts.bodyStructure],
  usual_fields: ['text', ({ facts }) => facts.usualFields],
  text: ['text', ({ facts }) => facts.text],
  header: ['text', ({ facts }) => facts.header],
  sent_on: ['date', ({ facts }) => facts.sentOn],
  ancestors: ['text[]', ({ facts }) => facts.ancestors],
  authentication: ['json', ({ authentication }) => authentication],
  spam: ['json', ({ spam }) => spam],
  is_late: ['bool', ({ isLate }) => isLate],
});

const NEW_LINKS = rowsOf<MailboxKey & { link: string; threadId: string }>('t', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  link: ['uuid', ({ link }) => link],
  thread_id: ['uuid', ({ threadId }) => threadId],
});

/** Everything in one statement, with UIDs and MODSEQs that nobody else gives out while the mailboxes are locked. */
export async function write(
  tx: DatabaseTransaction,
  ground: Ground,
  admitted: readonly Admitted[],
): Promise<void> {
  const states = writingStates([...ground.mailboxes.values()]);
  if (admitted.length === 0) {
    await sql`with ${states} select`.execute(tx);
    return;
  }
  const targets = new Set(admitted.map(({ folderRow }) => folderRow));
  const changed = ground.folders.filter((folder) => targets.has(folder) || folder.added.messages !== 0);
  const links = admitted.flatMap(({ projectId, mailboxId, facts, threadId }) =>
    threadLinksOf(facts).isFoundBy.map((link) => ({ projectId, mailboxId, link, threadId })),
  );
  const { ctes, grown } = listingNew(admitted, ground.oldThreads);
  await sql`
    with ${keepingBlobs(admitted.map(({ blob }) => blob)).sql}, ${states}, ${ctes}
    ${writingFolders(changed, grown)}, content as (
      insert into message_contents (${CONTENTS.names}) select ${CONTENTS.values} from ${CONTENTS.from(admitted)}
    ), thread as (
      insert into thread_links (${NEW_LINKS.names}) select ${NEW_LINKS.values} from ${NEW_LINKS.from(links)}
      on conflict do nothing
    ), ${recordingStorage(bytesByProject(admitted))}
    insert into messages (${MESSAGES.names}) select ${MESSAGES.values} from ${SAYING_LISTED}, ${MESSAGES.from(admitted)}`.execute(
    tx,
  );
}

function bytesByProject(messages: readonly NewMessage[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const { projectId, blob } of messages) bytes.set(projectId, (bytes.get(projectId) ?? 0) + blob.size);
  return bytes;
}
