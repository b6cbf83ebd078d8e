import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

const FOLDER_COPY = columnsOf({ folderId: 'uuid', uid: 'int4', threadId: 'uuid' });
/** A copy of a message in a folder. */
export type FolderCopy = RowOf<typeof FOLDER_COPY>;

/** The target of an action: conversations or messages, by id. */
type Named = { conversations: readonly string[] } | { messages: readonly string[] };

/** The maximum number of copies that one request changes. */
export const MAX_FOLDER_COPIES = 5_000;

/** The last message in a batch. The next batch begins after it. */
export type FolderPosition = Pick<FolderCopy, 'folderId' | 'uid'>;

export interface CopyQuery {
  named: Named;
  /** Whether to find only the newest message in each conversation. */
  isNewest: boolean;
  folderIds: readonly string[];
  /** The end of the previous batch; null for the first batch. */
  after: FolderPosition | null;
}

/**
 * Finds one batch of the folder copies of messages.
 * @returns at most `MAX_FOLDER_COPIES` copies, and one more if another batch follows
 */
export async function findCopies(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { named, isNewest, folderIds, after }: CopyQuery,
): Promise<FolderCopy[]> {
  const isNamed =
    'messages' in named
      ? sql`c.object_id = any(${uuidArray(named.messages)}::uuid[])`
      : sql`c.thread_id = any(${uuidArray(named.conversations)}::uuid[])`;
  const isLeft =
    after === null ? sql`true` : sql`(m.folder_id, m.uid) > (${after.folderId}::uuid, ${after.uid}::int)`;
  const { rows } = await FOLDER_COPY.sql`
    select ${isNewest ? sql`distinct on (c.thread_id)` : sql``} m.folder_id, m.uid, c.thread_id from message_contents c
    join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
    where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and ${isNamed}
      and m.folder_id = any(${uuidArray(folderIds)}::uuid[]) and ${isLeft}
    order by ${isNewest ? sql`c.thread_id, m.internal_date desc, m.uid desc` : sql`m.folder_id, m.uid`}
    limit ${MAX_FOLDER_COPIES + 1}`.execute(database);
  return rows;
}
