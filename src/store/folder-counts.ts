import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { FLAG } from './flags.ts';
import type { MailboxKey } from './lock-mailboxes.ts';

/** What STATUS asks of a folder and no folder keeps. */
export interface FolderCounts {
  /** With \Deleted (RFC 9051, section 6.3.11). */
  deleted: number;
  /** \Recent to whoever selects the folder next (RFC 3501, section 6.3.10). */
  recent: number;
}

/** @returns by the id of the folder */
export async function readCounts(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<Map<string, FolderCounts>> {
  const isOf = sql`m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id`;
  const { rows } = await sql<FolderCounts & { id: string }>`
    select id, (select count(*)::int from messages m where ${isOf} and m.flags & ${sql.lit(FLAG.deleted)} <> 0) as deleted,
      case when recent_uid >= uid_next then 0 when recent_uid = 1 then messages
        else (select count(*)::int from messages m where ${isOf} and m.uid >= f.recent_uid) end as recent
    from folders f
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and name is not null`.execute(database);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
