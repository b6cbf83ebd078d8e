/** Reads one page of a folder's list of conversations. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../../store/in-folder.ts';

const LIST_END = columnsOf({
  isPinned: 'bool',
  /** The time in microseconds since 1970, which is PostgreSQL's precision. A `Date` has only milliseconds. */
  newestAt: 'text',
  newestUid: 'int4',
});
export const LISTED_CONVERSATION = columnsOf({
  threadId: 'uuid',
  ...LIST_END.kinds,
  messages: 'int4',
  unseen: 'int4',
  flagged: 'int4',
  drafts: 'int4',
  files: 'int4',
});
/** A conversation in one folder. Its counts cover only that folder. */
export type ListedConversation = RowOf<typeof LISTED_CONVERSATION>;

/** A row of the list with its index, from 0. */
export interface ListPosition extends RowOf<typeof LIST_END> {
  row: number;
}

/** The page starts at a row index (`at`, from 0), or contains the rows older or newer than a given row, without that row. */
export type PageRequest = { at: number } | { olderThan: ListPosition } | { newerThan: ListPosition };

export interface ListedPage {
  rows: ListedConversation[];
  firstRow: number;
}

export const LISTED_COLUMNS =
  sql.raw(`v.thread_id, v.pinned > 0 as is_pinned, (extract(epoch from v.newest_at) * 1000000)::int8::text as newest_at, v.newest_uid,
  v.messages, v.unseen, v.flagged, v.drafts, v.files`);

const MICROSECONDS = sql.raw(`interval '1 microsecond'`);
const EPOCH = sql.raw(`timestamptz 'epoch'`);

/**
 * Pinned rows come first. Rows are sorted by date, newest first.
 * @param total the number of rows in the list. A row in the second half is found by counting from the end
 */
export async function readListPage(
  database: Database,
  folder: FolderKey,
  request: PageRequest,
  limit: number,
  total: number,
): Promise<ListedPage> {
  if ('at' in request) {
    const position = await findRow(database, folder, request.at, total);
    if (position === null) return { rows: [], firstRow: request.at };
    return {
      rows: await readRows(database, folder, olderThan(position, '<='), 'desc', limit),
      firstRow: request.at,
    };
  }
  if ('olderThan' in request) {
    const { olderThan: position } = request;
    return {
      rows: await readRows(database, folder, olderThan(position, '<'), 'desc', limit),
      firstRow: position.row + 1,
    };
  }
  const { newerThan: position } = request;
  const rows = await readRows(database, folder, olderThan(position, '>'), 'asc', limit);
  return { rows: rows.reverse(), firstRow: Math.max(0, position.row - rows.length) };
}

/** Finds the position of a row. Reads only the narrowest index, at a cost of 0.1 µs per skipped row. */
async function findRow(
  database: Database,
  { folderId }: FolderKey,
  row: number,
  total: number,
): Promise<Omit<ListPosition, 'row'> | null> {
  const isFirstHalf = row < total / 2;
  const offset = isFirstHalf ? row : total - 1 - row;
  if (offset < 0) return null;
  const direction = sql.raw(isFirstHalf ? 'desc' : 'asc');
  const { rows } = await LIST_END.sql`
    select pinned > 0 as is_pinned, (extract(epoch from newest_at) * 1000000)::int8::text as newest_at, newest_uid from (
      select pinned, newest_at, newest_uid from conversations where folder_id = ${folderId}
      order by (pinned > 0) ${direction}, newest_at ${direction}, newest_uid ${direction} offset ${offset} limit 1) v`.execute(
    database,
  );
  return rows[0] ?? null;
}

function olderThan(position: Omit<ListPosition, 'row'>, how: '<' | '<=' | '>'): RawBuilder<unknown> {
  return sql`((v.pinned > 0), v.newest_at, v.newest_uid) ${sql.raw(how)}
    (${position.isPinned}::bool, ${EPOCH} + ${position.newestAt}::int8 * ${MICROSECONDS}, ${position.newestUid}::int4)`;
}

async function readRows(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  where: RawBuilder<unknown>,
  direction: 'asc' | 'desc',
  limit: number,
): Promise<ListedConversation[]> {
  const order = sql.raw(direction);
  const { rows } = await LISTED_CONVERSATION.sql`
    select ${LISTED_COLUMNS} from conversations v
    where v.folder_id = ${folderId} and v.project_id = ${projectId} and v.mailbox_id = ${mailboxId} and ${where}
    order by (v.pinned > 0) ${order}, v.newest_at ${order}, v.newest_uid ${order} limit ${limit}`.execute(
    database,
  );
  return rows;
}

/** Reads the rows of some threads. Threads with no message in the folder are omitted. */
export async function readListed(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  threadIds: readonly string[],
): Promise<ListedConversation[]> {
  const { rows } = await LISTED_CONVERSATION.sql`
    select ${LISTED_COLUMNS} from conversations v
    where v.project_id = ${projectId} and v.mailbox_id = ${mailboxId} and v.folder_id = ${folderId}
      and v.thread_id = any(${threadIds}::uuid[])`.execute(database);
  return rows;
}
