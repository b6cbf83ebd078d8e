/** Messages of a folder, as whoever shows them reads them. Each answer is of one moment. */
import { sql } from 'kysely';
import { byteaArray } from '../db/arrays.ts';
import type { Database } from '../db/database.ts';
import type { FlaggedMessage } from './change-flags.ts';
import type { MessageFacts } from './facts/message-facts.ts';
import type { FolderKey } from './in-folder.ts';
import { messagesIn, type UidRange } from './uid-ranges.ts';

/** What lists and IMAP show of a message. */
export interface StoredMessage extends FlaggedMessage {
  objectId: string;
  threadId: string;
  octets: number;
  internalDate: Date;
  saveDate: Date;
  messageId: string | null;
  subject: string;
  addresses: Pick<MessageFacts, 'from' | 'replyTo' | 'to' | 'cc' | 'bcc'>;
  sentAt: Date | null;
  preview: string;
  attachments: number;
  /** Of its bytes: for `Blobs.open`. */
  digest: Buffer;
}

/** What IMAP shows beside it. */
export interface StoredStructure {
  uid: number;
  envelope: string;
  bodyStructure: string;
}

const COLUMNS =
  sql.raw(`m.uid, m.modseq::float8 as modseq, m.flags, m.keywords, m.object_id, m.octets, m.internal_date, m.save_date,
  c.thread_id, c.message_id, c.subject, c.addresses, c.sent_at, c.preview, c.attachments, c.digest`);

/** Looked up one by one: PostgreSQL is not to read those of the whole mailbox for some messages. */
const WITH_CONTENTS = sql.raw(`cross join lateral (
  select * from message_contents c
  where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`);

const MAX_PAGE = 200;
/** A list of so many takes some tens of milliseconds. */
const MAX_MESSAGES = 1_000;
/** Rows of an index, and changes of an answer: each is some 30 bytes. */
const MAX_INDEX = 20_000;

/** The newest first. @param before the UID at which the page before ended; null: from the newest on @param limit at most 200 */
export async function readPage(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  before: number | null,
  limit: number,
): Promise<StoredMessage[]> {
  const { rows } = await sql<StoredMessage>`
    select ${COLUMNS} from messages m ${WITH_CONTENTS}
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
      and m.uid < ${before ?? 2 ** 31 - 1}
    order by m.uid desc limit ${Math.min(limit, MAX_PAGE)}`.execute(database);
  return rows;
}

/** Messages by their UIDs, in order, at most 1,000: who wants more asks again behind the last. Unknown UIDs are left out. */
export async function readMessages(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<StoredMessage[]> {
  const { rows } = await sql<StoredMessage>`
    select ${COLUMNS} from (select m.* from ${messagesIn(folder, ranges, MAX_MESSAGES)} limit ${MAX_MESSAGES}) m ${WITH_CONTENTS}
    order by m.uid`.execute(database);
  return rows;
}

/** Which of these bytes a folder has. @param digests in hexadecimal */
export async function findDigests(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  digests: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ digest: string }>`
    select distinct encode(c.digest, 'hex') as digest
    from unnest(${byteaArray(digests.map((digest) => Buffer.from(digest, 'hex')))}::bytea[]) k (digest)
    join message_contents c on c.project_id = ${projectId} and c.digest = k.digest and c.mailbox_id = ${mailboxId}
    join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
    where m.folder_id = ${folderId}`.execute(database);
  return new Set(rows.map(({ digest }) => digest));
}

/** As `readMessages`. */
export async function readStructures(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<StoredStructure[]> {
  const { rows } = await sql<StoredStructure>`
    select m.uid, c.envelope, c.body_structure
    from (select m.* from ${messagesIn(folder, ranges, MAX_MESSAGES)} limit ${MAX_MESSAGES}) m ${WITH_CONTENTS}
    order by m.uid`.execute(database);
  return rows;
}

type IndexEntry = [uid: number, modseq: number, flags: number, keywords: string[]];

const ENTRY = sql.raw('json_build_array(uid, modseq, flags, keywords)');

function toFlagged([uid, modseq, flags, keywords]: IndexEntry): FlaggedMessage {
  return { uid, modseq, flags, keywords };
}

export interface FolderIndex {
  uidValidity: number;
  uidNext: number;
  highestModseq: number;
  /** In the order of their UIDs. */
  messages: FlaggedMessage[];
  /** There are more behind the last one. */
  hasMore: boolean;
}

/**
 * What SELECT of IMAP needs to know of a folder, 20,000 messages at a time. Parts that are read one after the other are of
 * different moments: who has read them asks for the changes since the `highestModseq` of the first.
 * @param after the last UID that is known
 * @returns null: no such folder
 */
export async function readIndex(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  after = 0,
): Promise<FolderIndex | null> {
  const { rows } = await sql<Omit<FolderIndex, 'hasMore' | 'messages'> & { entries: IndexEntry[] }>`
    select uid_validity::float8 as uid_validity, uid_next, highest_modseq::float8 as highest_modseq,
      (select coalesce(json_agg(${ENTRY} order by uid), '[]') from (
        select uid, modseq, flags, keywords from messages m
        where m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id and m.uid > ${after}
        order by uid limit ${MAX_INDEX + 1}) i) as entries
    from folders f
    where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = ${folderId} and f.name is not null`.execute(
    database,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { entries, ...folder } = row;
  return {
    ...folder,
    messages: entries.slice(0, MAX_INDEX).map(toFlagged),
    hasMore: entries.length > MAX_INDEX,
  };
}

export interface FolderChanges {
  /** What is told includes all changes up to here, and none after. */
  modseq: number;
  /** The folder has more changes than fit: ask again with `modseq`. */
  hasMore: boolean;
  uidNext: number;
  /** New ones, and those with other flags, by MODSEQ. */
  changed: FlaggedMessage[];
  /** What is there no more; null: it was too long ago, and the caller compares all UIDs (RFC 7162, section 3.2.5.2). */
  vanished: UidRange[] | null;
}

/** What happened in a folder after a MODSEQ. @returns null: no such folder */
export async function readChanges(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  since: number,
): Promise<FolderChanges | null> {
  const { rows } = await sql<{
    uidNext: number;
    highestModseq: number;
    forgottenModseq: number;
    entries: IndexEntry[];
    gone: [first: number, last: number, modseq: number][];
  }>`
    select uid_next, highest_modseq::float8 as highest_modseq, forgotten_modseq::float8 as forgotten_modseq,
      (select coalesce(json_agg(${ENTRY} order by modseq, uid), '[]') from (
        select uid, modseq, flags, keywords from messages m
        where m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id and m.modseq > ${since}
        order by modseq, uid limit ${MAX_INDEX + 1}) i) as entries,
      (select coalesce(json_agg(json_build_array(first_uid, last_uid, modseq) order by modseq, first_uid), '[]') from (
        select first_uid, last_uid, modseq from expunged x
        where x.project_id = f.project_id and x.mailbox_id = f.mailbox_id and x.folder_id = f.id and x.modseq > ${since}
        order by modseq, first_uid limit ${MAX_INDEX + 1}) i) as gone
    from folders f
    where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = ${folderId} and f.name is not null`.execute(
    database,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const { entries, gone, uidNext, highestModseq, forgottenModseq } = row;
  // One MODSEQ belongs to 1,000 changes at most, so what is cut off is never all.
  const lastWhole = (list: readonly { modseq: number }[]) =>
    list.length > MAX_INDEX ? (list[MAX_INDEX]?.modseq ?? 0) - 1 : highestModseq;
  const all = entries.map(toFlagged);
  const ranges = gone.map(([first, last, modseq]) => ({ first, last, modseq }));
  const modseq = Math.min(lastWhole(all), lastWhole(ranges));
  return {
    modseq,
    hasMore: modseq < highestModseq,
    uidNext,
    changed: all.filter((message) => message.modseq <= modseq),
    vanished:
      since < forgottenModseq
        ? null
        : ranges.filter((range) => range.modseq <= modseq).map(({ first, last }) => ({ first, last })),
  };
}
