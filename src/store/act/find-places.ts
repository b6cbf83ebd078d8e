import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';

/** A copy of a message in a folder. */
export interface MessagePlaceInFolder {
  folderId: string;
  uid: number;
  threadId: string;
}

/** What an action is about. */
export type Named = { conversations: readonly string[] } | { messages: readonly string[] };

/** Of one action. */
export const MAX_PLACES = 5_000;

/**
 * Where messages are, the newest first; each of those that somebody named.
 * @param folderIds in which is looked
 */
export async function findPlaces(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  named: Named,
  folderIds: readonly string[],
): Promise<MessagePlaceInFolder[]> {
  const isNamed =
    'messages' in named
      ? sql`c.object_id = any(${uuidArray(named.messages)}::uuid[])`
      : sql`c.thread_id = any(${uuidArray(named.conversations)}::uuid[])`;
  const { rows } = await sql<MessagePlaceInFolder>`
    select m.folder_id, m.uid, c.thread_id from message_contents c
    join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
    where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and ${isNamed}
      and m.folder_id = any(${uuidArray(folderIds)}::uuid[])
    order by m.internal_date desc, m.uid desc limit ${MAX_PLACES + 1}`.execute(database);
  return rows;
}
