import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { FLAG } from './flags.ts';
import type { MailboxKey } from './lock-mailboxes.ts';

const COUNTED_FOLDER = columnsOf({
  id: 'uuid',
  /** Messages with \Deleted (RFC 9051, section 6.3.11); 0 if not requested. */
  deleted: 'int4',
  /** Octets that expunging the messages with \Deleted would free. */
  deletedOctets: 'float8',
  /** Messages that will be \Recent for the next session that selects the folder (RFC 3501, section 6.3.10). */
  recent: 'int4',
});
/** The STATUS values that are not stored in the folder's row. */
export type FolderCounts = Omit<RowOf<typeof COUNTED_FOLDER>, 'id'>;

/** The counts to read, and the folder to count. `folderId` is null for all folders. */
export interface CountsQuery {
  folderId: string | null;
  /** Whether to count messages with \Deleted, which requires a scan of all messages. */
  deleted: boolean;
}

/** @returns the counts by folder id */
export async function readCounts(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { folderId, deleted }: CountsQuery,
): Promise<Map<string, FolderCounts>> {
  const isOf = sql`m.project_id = f.project_id and m.mailbox_id = f.mailbox_id and m.folder_id = f.id`;
  const { rows } = await COUNTED_FOLDER.sql`
    select id, gone.deleted, gone.deleted_octets, case when recent_uid >= uid_next then 0 when recent_uid = 1 then messages
        else (select count(*)::int from messages m where ${isOf} and m.uid >= f.recent_uid) end as recent
    from folders f, lateral (
      select count(*)::int as deleted, coalesce(sum(octets), 0)::float8 as deleted_octets
      from messages m where ${deleted}::bool and ${isOf} and m.flags & ${sql.lit(FLAG.deleted)} <> 0) gone
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and name is not null
      and (${folderId}::uuid is null or id = ${folderId})`.execute(database);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}
