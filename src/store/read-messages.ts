/** Reads messages in a folder for display. Each result is from one snapshot. */
import { sql } from 'kysely';
import { byteaArray } from '../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { FLAGGED_MESSAGE } from './change-flags.ts';
import type { MessageFacts } from './facts/message-facts.ts';
import type { FolderKey } from './in-folder.ts';
import { messagesIn, type UidRange } from './uid-ranges.ts';

export const STORED_MESSAGE = columnsOf({
  ...FLAGGED_MESSAGE.kinds,
  objectId: 'uuid',
  threadId: 'uuid',
  octets: 'int4',
  internalDate: 'timestamptz',
  saveDate: 'timestamptz',
  messageId: 'text?',
  subject: 'text',
  addresses: shaped<Pick<MessageFacts, 'from' | 'replyTo' | 'to' | 'cc' | 'bcc'>>('json'),
  sentAt: 'timestamptz?',
  preview: 'text',
  attachments: 'int4',
  /** The digest of the bytes, for `Blobs.open`. */
  digest: 'bytea',
});
/** The data of a message that lists and IMAP show. */
export type StoredMessage = RowOf<typeof STORED_MESSAGE>;

const STORED_STRUCTURE = columnsOf({ uid: 'int4', envelope: 'text', bodyStructure: 'text' });
export type StoredStructure = RowOf<typeof STORED_STRUCTURE>;

const COLUMNS =
  sql.raw(`m.uid, m.modseq::float8 as modseq, m.flags, m.keywords, m.object_id, m.octets, m.internal_date, m.save_date,
  c.thread_id, c.message_id, c.subject, c.addresses, c.sent_at, c.preview, c.attachments, c.digest`);

/** Contents are looked up row by row, so that PostgreSQL does not read the contents of the whole mailbox for a few messages. */
const WITH_CONTENTS = sql.raw(`cross join lateral (
  select * from message_contents c
  where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`);

const MAX_PAGE = 200;
/** Messages per result. A result takes tens of milliseconds to read. */
const MAX_MESSAGES = 1_000;

/** Reads a page, newest first. @param before the last UID of the previous page; null to start with the newest @param limit at most 200 */
export async function readPage(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  before: number | null,
  limit: number,
): Promise<StoredMessage[]> {
  const { rows } = await STORED_MESSAGE.sql`
    select ${COLUMNS} from messages m ${WITH_CONTENTS}
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
      and m.uid < ${before ?? 2 ** 31 - 1}
    order by m.uid desc limit ${Math.min(limit, MAX_PAGE)}`.execute(database);
  return rows;
}

/** Reads at most 1,000 messages, sorted by UID. The caller continues after the last UID of the result. Unknown UIDs are skipped. */
export async function readMessages(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<StoredMessage[]> {
  const { rows } = await STORED_MESSAGE.sql`
    select ${COLUMNS} from (select m.* from ${messagesIn(folder, ranges, MAX_MESSAGES)} limit ${MAX_MESSAGES}) m ${WITH_CONTENTS}
    order by m.uid`.execute(database);
  return rows;
}

const DIGEST = columnsOf({ digest: 'text' });

/** Returns the digests that belong to messages in a folder. @param digests in hexadecimal */
export async function findDigests(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  digests: readonly string[],
): Promise<Set<string>> {
  const { rows } = await DIGEST.sql`
    select distinct encode(c.digest, 'hex') as digest
    from unnest(${byteaArray(digests.map((digest) => Buffer.from(digest, 'hex')))}::bytea[]) k (digest)
    join message_contents c on c.project_id = ${projectId} and c.digest = k.digest and c.mailbox_id = ${mailboxId}
    join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
    where m.folder_id = ${folderId}`.execute(database);
  return new Set(rows.map(({ digest }) => digest));
}

/** Reads envelopes and body structures, with the same rules as `readMessages`. */
export async function readStructures(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<StoredStructure[]> {
  const { rows } = await STORED_STRUCTURE.sql`
    select m.uid, c.envelope, c.body_structure
    from (select m.* from ${messagesIn(folder, ranges, MAX_MESSAGES)} limit ${MAX_MESSAGES}) m ${WITH_CONTENTS}
    order by m.uid`.execute(database);
  return rows;
}
