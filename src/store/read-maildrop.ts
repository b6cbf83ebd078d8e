/** Reads the Inbox for POP3: a list that does not change during a session. */
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { FolderKey } from './in-folder.ts';
import type { MailboxKey } from './lock-mailboxes.ts';
import type { UidRange } from './uid-ranges.ts';

/** The messages in a maildrop. The lists take eight octets of memory per message. */
export interface Maildrop {
  folder: FolderKey;
  uidValidity: number;
  /** Whether messages have a unique-id of another server (`readUidls`). */
  hasUidls: boolean;
  /** The UIDs in ascending order. */
  uids: Int32Array;
  /** The size of each message with CRLF line ends. */
  octets: Int32Array;
}

/** Messages per query. Reading a million messages takes a few hundred milliseconds in total. */
const PAGE = 20_000;
const ENTRY_OCTETS = 8;

const INBOX = columnsOf({ id: 'uuid', uidValidity: 'float8', uidNext: 'int4', hasUidls: 'bool' });

/**
 * Reads the messages that are in the Inbox at the start. Messages deleted in the meantime may be included.
 * @returns null if the mailbox has no folders
 */
export async function readMaildrop(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<Maildrop | null> {
  const { rows } = await INBOX.sql`
    select id, uid_validity::float8 as uid_validity, uid_next, has_uidls from folders
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and role = 'inbox'`.execute(database);
  const [folder] = rows;
  if (folder === undefined) return null;
  const { id: folderId, uidValidity, uidNext, hasUidls } = folder;
  const pages: Buffer[] = [];
  for (let after = 0; ; ) {
    const page = await readEntries(database, { projectId, mailboxId, folderId }, after, uidNext);
    pages.push(page);
    if (page.length < PAGE * ENTRY_OCTETS) break;
    after = page.readInt32BE(page.length - ENTRY_OCTETS);
  }
  const count = pages.reduce((sum, { length }) => sum + length / ENTRY_OCTETS, 0);
  const [uids, octets] = [new Int32Array(count), new Int32Array(count)];
  let number = 0;
  for (const page of pages)
    for (let at = 0; at < page.length; at += ENTRY_OCTETS, number++) {
      uids[number] = page.readInt32BE(at);
      octets[number] = page.readInt32BE(at + 4);
    }
  return { folder: { projectId, mailboxId, folderId }, uidValidity, hasUidls, uids, octets };
}

const UIDL = columnsOf({ uid: 'int4', uidl: 'text' });

/** The unique-ids of another server, by UID. Messages without one are missing. @param range with at most a few thousand messages */
export async function readUidls(
  database: Database,
  folder: FolderKey,
  { first, last }: UidRange,
): Promise<Map<number, string>> {
  const { projectId, mailboxId, folderId } = folder;
  const { rows } = await UIDL.sql`
    select uid, uidl from messages
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}
      and uid between ${first} and ${last} and uidl is not null`.execute(database);
  return new Map(rows.map(({ uid, uidl }) => [uid, uidl]));
}

const ENTRIES = columnsOf({ entries: 'bytea?' });

/** Returns UIDs and sizes as one value. A row for each message would need 20 times the space. */
async function readEntries(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  after: number,
  before: number,
): Promise<Buffer> {
  const { rows } = await ENTRIES.sql`
    select string_agg(int4send(uid) || int4send(m.octets + coalesce(c.crlf_growth, 0)), '' order by uid) as entries
    from (
      select uid, octets, object_id from messages
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId} and uid > ${after} and uid < ${before}
      order by uid limit ${PAGE}
    ) m left join message_contents c
      on c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = m.object_id and c.crlf_growth <> 0`.execute(
    database,
  );
  return rows[0]?.entries ?? Buffer.alloc(0);
}
