/**
 * Stores messages in mailboxes. One transaction stores a batch: it locks the mailboxes, checks their quotas, and writes bytes, index,
 * counters, UIDs and MODSEQs in one statement.
 */
import { sql } from 'kysely';
import { recordingStorage } from '../accounts/usage.ts';
import { type PreparedBlob, writingBlobs } from '../blobs/prepared-blob.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import { newUuid, timeOf } from '../model/ids.ts';
import type { MessageFacts } from './facts/message-facts.ts';
import { addressKeys } from './find/sort-messages.ts';
import { fittingKeywords, FLAG, MUTED } from './flags.ts';
import { followThreads } from './followed-threads.ts';
import { keyOf, type LockedMailbox, lockForStoring, type MailboxKey } from './lock-mailboxes.ts';
import {
  type FolderRef,
  type FolderRequest,
  folderOf,
  type LockedFolder,
  readFolders,
  takeUid,
  writingFolders,
} from './locked-folders.ts';
import { LISTED_MARKER, listingNew } from './list-new.ts';
import { readStorageLeft } from './plan-storage.ts';
import { noteUsage, writingStates } from './usage.ts';
import { MAX_UID } from './uid-ranges.ts';
import { TIMINGS } from './search/timings.ts';
import { joinThread, threadLinksOf, threadOf } from './threads.ts';

/** A message to store in one folder. */
export interface NewMessage extends MailboxKey {
  folder: FolderRef;
  /** The bytes of the message: a blob of the mailbox's project. */
  blob: PreparedBlob;
  facts: MessageFacts;
  /** Bits of `FLAG`. */
  flags: number;
  /** Keywords that do not fit are left out (`fittingKeywords`), and the message is stored. */
  keywords: readonly string[];
  /** The internal date (RFC 9051, section 2.3.3). Null for the current time. */
  internalDate: Date | null;
  /** The results of sender authentication and of the spam check; null if the message was not received over SMTP. */
  authentication: object | null;
  spam: object | null;
  /** The address of the member who sent the message for the shared mailbox that gets this copy. Default: null. */
  sentBy?: string | null;
  /**
   * If true, the message is stored even if the mailbox or its project is full, because the server has already accepted the recipient.
   * Default: false.
   */
  mayExceedQuota?: boolean;
  /**
   * The caller's uuid for the message. If the mailbox already has a message with this uuid, the message is not stored again. Default: a new
   * uuid.
   */
  objectId?: string;
  /**
   * Whether the message is new mail from outside, which continues its conversation: the Archive gets it instead of the Inbox if the
   * conversation is muted, and a snoozed conversation comes back (`followed-threads.ts`). Default: false.
   */
  isNewMail?: boolean;
  /** The UID on the server that the message is copied from (`adoptUids`). Default: the next UID of the folder. */
  uid?: number;
  /**
   * The unique-id that POP3 shows for the message. Default: made from UIDVALIDITY and UID, also if another message in the folder has this one,
   * because a POP3 app fetches only one message with the same unique-id.
   */
  uidl?: string | null;
}

export type AppendResult =
  | {
      outcome: 'stored';
      folderId: string;
      uidValidity: number;
      uid: number;
      modseq: number;
      objectId: string;
      /** The keywords that the message did not get, because they are invalid or too many (docs/mailboxes.md, Limits). */
      leftOutKeywords: readonly string[];
    }
  /** `over-quota`: over the quota of the mailbox. `over-storage`: over the storage of the project's plan. */
  | { outcome: 'over-quota' | 'over-storage' | 'no-mailbox' | 'no-folder' }
  /** A message with this `objectId` was stored before. */
  | { outcome: 'already-there' };

interface Admitted extends NewMessage {
  folderRow: LockedFolder;
  leftOutKeywords: readonly string[];
  uid: number;
  modseq: number;
  objectId: string;
  /** Whether segments of the word index may already cover newer messages. */
  isLate: boolean;
  threadId: string;
  internalDate: Date;
  saveDate: Date;
}

const ARCHIVE: FolderRef = { role: 'archive' };

/** The state that a batch depends on. Read after the batch has locked its mailboxes. */
interface BatchState {
  mailboxes: Map<string, LockedMailbox>;
  folders: LockedFolder[];
  /** Free storage in bytes, by project id. Projects without a limit are missing. */
  storageLeft: Map<string, number>;
  /** For each mailbox id, a map from thread link (`threadLinksOf`) to thread id. */
  threads: Map<string, Map<string, string>>;
  /** The ids of the threads that existed before this batch. */
  oldThreads: Set<string>;
  /** The ids of threads of which new mail goes to the Archive. */
  mutedThreads: ReadonlySet<string>;
  /** Messages that already exist and must not be stored again, each as `<mailbox id> <objectId>`. */
  existingObjects: Set<string>;
  /** Unique-ids that messages have, each as `<folder id> <uidl>`. */
  uidls: Set<string>;
}

export interface AppendOptions {
  /** Whether the messages are warnings about nearly full mailboxes. Each warning is stored only if it is still due. */
  areWarnings?: boolean;
  /** If true, all messages are stored or none. If a message cannot be stored, its result is returned for every message. */
  isWhole?: boolean;
}

/**
 * Writes a batch in one transaction. Messages that cannot be stored are skipped.
 * @returns one result for each message, in order
 */
export function appendBatch(
  database: Database,
  batch: readonly NewMessage[],
  options: AppendOptions = {},
): Promise<AppendResult[]> {
  return database.transaction().execute((tx) => appendWithin(tx, batch, options));
}

/** Like `appendBatch`, within the caller's transaction. Locks the mailboxes; the transaction must not take other locks afterwards. */
export async function appendWithin(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
  { areWarnings = false, isWhole = false }: AppendOptions = {},
): Promise<AppendResult[]> {
  if (batch.length === 0) return [];
  const state = await lockBatch(tx, batch);
  const admitted: Admitted[] = [];
  const results = batch.map((message): AppendResult => {
    const admission = admit(message, state, areWarnings);
    if ('outcome' in admission) return admission;
    admitted.push(admission);
    return resultOf(admission);
  });
  const failed = results.find(({ outcome }) => outcome !== 'stored');
  if (isWhole && failed !== undefined) return results.map(() => failed);
  const isFull = (at: number) => ['over-quota', 'over-storage'].includes(results[at]?.outcome ?? '');
  const refused = new Set(batch.filter((_, at) => isFull(at)).map(keyOf));
  for (const mailbox of state.mailboxes.values()) noteUsage(mailbox, refused.has(keyOf(mailbox)));
  await write(tx, state, admitted);
  return results;
}

export function resultOf({ uid, modseq, objectId, folderRow, leftOutKeywords }: Admitted): AppendResult {
  const { id: folderId, uidValidity } = folderRow;
  return { outcome: 'stored', folderId, uidValidity, uid, modseq, objectId, leftOutKeywords };
}

/** Locks the mailboxes of a batch and reads their state. @param also further folders of the same mailboxes that the transaction changes */
export async function lockBatch(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
  also: readonly FolderRequest[] = [],
): Promise<BatchState> {
  const { mailboxes, limits } = await lockForStoring(tx, [...batch, ...also]);
  // Read in separate statements after the lock, because these see everything that was committed while this transaction waited for the lock.
  const threads = await readThreads(tx, batch);
  const mutedThreads = await followThreads(tx, batch, threads);
  const archives = mutedThreads.size === 0 ? [] : batch.map((message) => ({ ...message, folder: ARCHIVE }));
  const folders = await readFolders(tx, [...batch, ...also, ...archives]);
  const oldThreads = new Set([...threads.values()].flatMap((links) => [...links.values()]));
  const storageLeft = await readStorageLeft(tx, limits);
  const existingObjects = await readExistingObjects(tx, batch);
  const uidls = await readTakenUidls(tx, batch, folders);
  return { mailboxes, folders, threads, oldThreads, mutedThreads, storageLeft, existingObjects, uidls };
}

const OBJECTS = rowsOf<NewMessage>('o', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  object_id: ['uuid', ({ objectId }) => objectId ?? null],
});

const EXISTING_OBJECT = columnsOf({ mailboxId: 'uuid', objectId: 'uuid' });

async function readExistingObjects(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
): Promise<Set<string>> {
  const named = batch.filter(({ objectId }) => objectId !== undefined);
  if (named.length === 0) return new Set();
  const { rows } = await EXISTING_OBJECT.sql`
    select mailbox_id, object_id from ${OBJECTS.from(named)} join message_contents using (project_id, mailbox_id, object_id)`.execute(
    tx,
  );
  return new Set(rows.map(({ mailboxId, objectId }) => `${mailboxId} ${objectId}`));
}

type FolderUidl = MailboxKey & { folderId: string; uidl: string };

const UIDLS = rowsOf<FolderUidl>('u', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  folder_id: ['uuid', ({ folderId }) => folderId],
  uidl: ['text', ({ uidl }) => uidl],
});

const TAKEN_UIDL = columnsOf({ folderId: 'uuid', uidl: 'text' });

async function readTakenUidls(
  tx: DatabaseTransaction,
  batch: readonly NewMessage[],
  folders: readonly LockedFolder[],
): Promise<Set<string>> {
  const wanted = batch.flatMap((message): FolderUidl[] => {
    const folder = folderOf(folders, message);
    if (message.uidl == null || folder?.hasUidls !== true) return [];
    const { projectId, mailboxId } = message;
    return [{ projectId, mailboxId, folderId: folder.id, uidl: message.uidl }];
  });
  if (wanted.length === 0) return new Set();
  const { rows } = await TAKEN_UIDL.sql`
    select folder_id, m.uidl from ${UIDLS.from(wanted)} join messages m using (project_id, mailbox_id, folder_id)
    where m.uidl is not null and m.uidl = u.uidl`.execute(tx);
  return new Set(rows.map(({ folderId, uidl }) => `${folderId} ${uidl}`));
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

/** Reserves the UID, quota and storage of a message, or rejects it and reserves nothing. */
export function admit(
  message: NewMessage,
  state: BatchState,
  isWarning: boolean,
): Admitted | Exclude<AppendResult, { outcome: 'stored' }> {
  const { projectId, mailboxId, blob, flags } = message;
  const mailbox = state.mailboxes.get(keyOf(message));
  if (mailbox === undefined || (isWarning && !mailbox.warningDue)) return { outcome: 'no-mailbox' };
  const objectId = message.objectId ?? newUuid();
  if (state.existingObjects.has(`${mailboxId} ${objectId}`)) return { outcome: 'already-there' };
  const known = state.threads.get(mailboxId) ?? new Map<string, string>();
  const links = threadLinksOf(message.facts);
  const isMuted = message.isNewMail === true && state.mutedThreads.has(threadOf(links, known) ?? '');
  const toInbox = 'role' in message.folder && message.folder.role === 'inbox';
  const folderRow = folderOf(state.folders, isMuted && toInbox ? { ...message, folder: ARCHIVE } : message);
  if (folderRow === undefined || folderRow.uidNext === MAX_UID) return { outcome: 'no-folder' };
  if (message.mayExceedQuota !== true && mailbox.octets + blob.size > mailbox.quotaOctets)
    return { outcome: 'over-quota' };
  const storageLeft = state.storageLeft.get(projectId);
  if (message.mayExceedQuota !== true && storageLeft !== undefined && blob.size > storageLeft)
    return { outcome: 'over-storage' };

  state.existingObjects.add(`${mailboxId} ${objectId}`);
  mailbox.octets += blob.size;
  if (isWarning) mailbox.warningDue = false;
  if (storageLeft !== undefined) state.storageLeft.set(projectId, storageLeft - blob.size);
  const { keywords, all, leftOut } = fittingKeywords(
    folderRow.keywords,
    isMuted ? [...message.keywords, MUTED] : message.keywords,
  );
  folderRow.keywords = all;
  const uidl = freeUidl(message, folderRow, state);
  if (uidl !== null) folderRow.hasUidls = true;
  folderRow.highestModseq += 1;
  folderRow.added.messages += 1;
  folderRow.added.octets += blob.size;
  if ((flags & FLAG.seen) === 0) folderRow.added.unseen += 1;
  const saveDate = clock.now();
  return {
    ...message,
    uidl,
    keywords,
    leftOutKeywords: leftOut,
    folderRow,
    uid: takeUid(folderRow, message.uid),
    modseq: folderRow.highestModseq,
    objectId,
    isLate: saveDate.getTime() - timeOf(objectId).getTime() > TIMINGS.lateMs,
    threadId: joinThread(links, known),
    internalDate: message.internalDate ?? saveDate,
    saveDate,
  };
}

/** The unique-id of a message, or null if it could be that of another message in the folder. */
function freeUidl(
  { uidl = null }: NewMessage,
  { id, uidValidity }: LockedFolder,
  { uidls }: BatchState,
): string | null {
  // The unique-id of a message without its own one begins like this (`uniqueIdOf`).
  if (uidl === null || uidl.startsWith(`${uidValidity}.`) || uidls.has(`${id} ${uidl}`)) return null;
  uidls.add(`${id} ${uidl}`);
  return uidl;
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
  uidl: ['text', ({ uidl }) => uidl ?? null],
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
  event: ['json', ({ facts }) => facts.event],
  sent_by: ['text', ({ sentBy }) => sentBy ?? null],
  is_late: ['bool', ({ isLate }) => isLate],
  sort_keys: ['text', ({ facts }) => addressKeys(facts)],
});

const NEW_LINKS = rowsOf<MailboxKey & { link: string; threadId: string }>('t', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
  link: ['uuid', ({ link }) => link],
  thread_id: ['uuid', ({ threadId }) => threadId],
});

/** Writes the batch in one statement. The mailbox locks prevent other transactions from assigning the same UIDs and MODSEQs. */
export async function write(
  tx: DatabaseTransaction,
  state: BatchState,
  admitted: readonly Admitted[],
): Promise<void> {
  const states = writingStates([...state.mailboxes.values()]);
  if (admitted.length === 0) {
    await sql`with ${states} select`.execute(tx);
    return;
  }
  const targets = new Set(admitted.map(({ folderRow }) => folderRow));
  const changed = state.folders.filter((folder) => targets.has(folder) || folder.added.messages !== 0);
  const links = admitted.flatMap(({ projectId, mailboxId, facts, threadId }) =>
    threadLinksOf(facts).isFoundBy.map((link) => ({ projectId, mailboxId, link, threadId })),
  );
  const { ctes, grown } = listingNew(admitted, state.oldThreads);
  await sql`
    with ${writingBlobs(admitted.map(({ blob }) => blob)).sql}, ${states}, ${ctes}
    ${writingFolders(changed, grown)}, content as (
      insert into message_contents (${CONTENTS.names}) select ${CONTENTS.values} from ${CONTENTS.from(admitted)}
    ), thread as (
      insert into thread_links (${NEW_LINKS.names}) select ${NEW_LINKS.values} from ${NEW_LINKS.from(links)}
      on conflict do nothing
    ), ${recordingStorage(bytesByProject(admitted))}
    insert into messages (${MESSAGES.names}) select ${MESSAGES.values} from ${LISTED_MARKER}, ${MESSAGES.from(admitted)}`.execute(
    tx,
  );
}

function bytesByProject(messages: readonly NewMessage[]): Map<string, number> {
  const bytes = new Map<string, number>();
  for (const { projectId, blob } of messages) bytes.set(projectId, (bytes.get(projectId) ?? 0) + blob.size);
  return bytes;
}
