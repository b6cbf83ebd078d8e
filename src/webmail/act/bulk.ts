/** All of a folder, in turns: what was there at the first of them. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { cursorOf } from '../../model/cursor.ts';
import type { FolderKey } from '../../store/in-folder.ts';

/** UIDs between both are left to do. */
export const FOLDER_END = cursorOf('folder', { after: 'int', until: 'int' });

/** @returns the last UID of the next messages, null when there are none, and how many come behind them */
export async function nextOfFolder(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  { after, until }: { after: number; until: number },
  limit: number,
): Promise<{ last: number | null; remaining: number }> {
  const isLeft = sql`project_id = ${projectId} and mailbox_id = ${mailboxId} and folder_id = ${folderId}
    and uid > ${after} and uid < ${until}`;
  const { rows } = await sql<{ last: number | null; messages: number; all: number }>`
    select max(uid) as last, count(*)::int as messages, (select count(*)::int from messages where ${isLeft}) as "all"
    from (select uid from messages where ${isLeft} order by uid limit ${limit}) m`.execute(database);
  const { last = null, messages = 0, all = 0 } = rows[0] ?? {};
  return { last, remaining: all - messages };
}
