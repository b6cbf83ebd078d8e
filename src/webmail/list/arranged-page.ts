/** Reads one page of a folder's list that is filtered, or sorted in another way than newest first. */
import { type RawBuilder, sql } from 'kysely';
import { type ListFilter, type ListSort, MAX_SORTED_ROWS } from '../../contract/mail/conversations.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import { LISTED_COLUMNS, LISTED_CONVERSATION, type ListedConversation } from './conversation-page.ts';

export interface Arrangement {
  filter: ListFilter | undefined;
  sort: ListSort;
}

interface Slice {
  at: number;
  limit: number;
}

/** The number of rows. If it is not exact, there are more. */
interface Count {
  rows: number;
  isExact: boolean;
}

interface List {
  database: Database;
  folder: FolderKey;
}

/** How many rows after a page are counted. The client learns of more rows when it reads later pages. */
const MAX_COUNTED = 10_000;

/** Each condition is that of an index (migration 0139). */
const FILTERS: Readonly<Record<ListFilter, RawBuilder<boolean>>> = {
  unread: sql.raw('v.unseen > 0'),
  starred: sql.raw('v.flagged > 0'),
  file: sql.raw('v.files > 0'),
};
const ALL: RawBuilder<boolean> = sql.raw('true');
const READ: RawBuilder<boolean> = sql.raw('v.unseen = 0');

/** The order of the newest `MAX_SORTED_ROWS` rows: by the author or the size of each row's newest message. */
const ORDERS: Readonly<Record<'sender' | 'size', RawBuilder<unknown>>> = {
  sender: sql`(
    select lower(coalesce(nullif(c.addresses -> 'from' -> 0 ->> 'name', ''), c.addresses -> 'from' -> 0 ->> 'address', ''))
    from message_contents c
    where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1)`,
  size: sql`m.octets desc`,
};

/** @param conversations the number of rows of the folder without a filter */
export async function readArrangedPage(
  database: Database,
  folder: FolderKey,
  { filter, sort }: Arrangement,
  { at, limit }: Slice,
  conversations: number,
): Promise<{ rows: ListedConversation[]; total: number }> {
  const list = { database, folder };
  const end = at + limit;
  const matches = filter === undefined ? ALL : FILTERS[filter];
  const counted = filter === undefined ? null : await countRows(list, matches, end + MAX_COUNTED);
  const all = counted ?? { rows: conversations, isExact: true };
  if (sort === 'sender' || sort === 'size')
    return {
      rows: await readSorted(database, folder, matches, ORDERS[sort], { at, limit }),
      total: Math.min(all.rows, MAX_SORTED_ROWS),
    };
  if (sort !== 'unread')
    return { rows: await readSlice(list, matches, sort, { at, limit }, all), total: all.rows };
  const isUnread = sql<boolean>`${FILTERS.unread} and ${matches}`;
  const unread = await countRows(list, isUnread, end);
  const first = await readSlice(list, isUnread, 'newest', { at, limit }, unread);
  const rest = { at: Math.max(0, at - unread.rows), limit: limit - first.length };
  const isRead = sql<boolean>`${READ} and ${matches}`;
  const read = { rows: all.rows - unread.rows, isExact: all.isExact && unread.isExact };
  return { rows: [...first, ...(await readSlice(list, isRead, 'newest', rest, read))], total: all.rows };
}

const COUNT = columnsOf({ rows: 'int4' });

/** Counts rows that match, at most `max`. Reads the newest entries of the filter's index alone, at a cost of 0.3 µs each. */
async function countRows(
  { database, folder: { folderId } }: List,
  matches: RawBuilder<boolean>,
  max: number,
): Promise<Count> {
  const { rows } = await COUNT.sql`
    select count(*)::int as rows from (
      select from conversations v where v.folder_id = ${folderId} and ${matches}
      order by v.newest_at desc, v.newest_uid desc limit ${max}) m`.execute(database);
  const counted = rows[0]?.rows ?? 0;
  return { rows: counted, isExact: counted < max };
}

/** @param total the number of rows that match. If it is exact, rows in the second half are found by counting from the end */
async function readSlice(
  { database, folder }: List,
  matches: RawBuilder<boolean>,
  sort: 'newest' | 'oldest',
  { at, limit }: Slice,
  total: Count,
): Promise<ListedConversation[]> {
  const { projectId, mailboxId, folderId } = folder;
  // If the count is not exact, there are further rows.
  const left = total.isExact ? total.rows - at : Number.POSITIVE_INFINITY;
  const length = Math.min(limit, left);
  if (length <= 0) return [];
  const fromEnd = left - length;
  const isFirstHalf = at <= fromEnd;
  const direction = sql.raw((sort === 'newest') === isFirstHalf ? 'desc' : 'asc');
  // Skipping rows reads only the narrow index. The columns are then read for the rows of the page alone.
  const { rows } = await LISTED_CONVERSATION.sql`
    select ${LISTED_COLUMNS} from (
      select v.newest_at, v.newest_uid from conversations v where v.folder_id = ${folderId} and ${matches}
      order by v.newest_at ${direction}, v.newest_uid ${direction} offset ${isFirstHalf ? at : fromEnd} limit ${length}) p
    join conversations v on v.folder_id = ${folderId} and v.newest_at = p.newest_at and v.newest_uid = p.newest_uid
    where v.project_id = ${projectId} and v.mailbox_id = ${mailboxId}
    order by v.newest_at ${direction}, v.newest_uid ${direction}`.execute(database);
  return isFirstHalf ? rows : rows.reverse();
}

async function readSorted(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  matches: RawBuilder<boolean>,
  order: RawBuilder<unknown>,
  { at, limit }: Slice,
): Promise<ListedConversation[]> {
  const { rows } = await LISTED_CONVERSATION.sql`
    select ${LISTED_COLUMNS} from (
      select * from conversations v
      where v.folder_id = ${folderId} and v.project_id = ${projectId} and v.mailbox_id = ${mailboxId} and ${matches}
      order by v.newest_at desc, v.newest_uid desc limit ${MAX_SORTED_ROWS}) v
    join messages m on m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId} and m.uid = v.newest_uid
    order by ${order}, v.newest_at desc, v.newest_uid desc offset ${at} limit ${limit}`.execute(database);
  return rows;
}
