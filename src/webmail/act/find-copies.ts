import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

const FOLDER_COPY = columnsOf({ folderId: 'uuid', uid: 'int4', threadId: 'uuid' });
/** A copy of a message in a folder. */
export type FolderCopy = RowOf<typeof FOLDER_COPY>;

/** What an action is about. */
type Named = { conversations: readonly string[] } | { messages: readonly string[] };

/** Of one turn. */
export const MAX_FOLDER_COPIES = 5_000;

/** A message, as a turn ends with it. */
export type FolderPosition = Pick<FolderCopy, 'folderId' | 'uid'>;

export interface CopyQuery {
  named: Named;
  /** Of each conversation the newest message alone. */
  isNewest: boolean;
  /** In which is looked. */
  folderIds: readonly string[];
  /** Where the turn before has ended. */
  after: FolderPosition | null;
}

/** Where messages are, in an order in which all are found in turns: one more than a turn has, where there are more. */
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
