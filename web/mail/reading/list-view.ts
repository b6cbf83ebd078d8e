/** How the list of a folder is filtered and sorted. The URL contains both: `?filter=unread&sort=oldest`. */
import type { ConversationRow, ListFilter, ListSort } from '../../../src/contract/mail/conversations.ts';

export interface ListView {
  filter?: ListFilter;
  /** Absent: newest first. */
  sort?: Exclude<ListSort, 'newest'>;
}

const MATCHES: Readonly<Record<ListFilter, (row: ConversationRow) => boolean>> = {
  unread: ({ unread }) => unread > 0,
  starred: ({ starred }) => starred > 0,
  file: ({ has_file }) => has_file,
};
/** The service counts no more rows than this after a page, if the list has a filter. */
export const MAX_COUNTED = 10_000;
/** The number of rows of a list sorted by sender or size, as in src/contract/mail/conversations.ts. */
export const MAX_SORTED_ROWS = 2_000;
const SORTS: readonly string[] = ['oldest', 'unread', 'sender', 'size'];

export function viewOf({ filter, sort }: Readonly<Record<string, string>>): ListView {
  return {
    ...(filter !== undefined && Object.hasOwn(MATCHES, filter) && { filter: filter as ListFilter }),
    ...(sort !== undefined && SORTS.includes(sort) && { sort: sort as Exclude<ListSort, 'newest'> }),
  };
}

/** The part of a cache key that names the view. Empty for the whole folder, newest first. */
export function keyOf(view: ListView): string {
  return new URLSearchParams({ ...view }).toString();
}

/** Whether a row belongs to the view with this key. */
export function isInView(key: string, row: ConversationRow): boolean {
  const { filter } = viewOf(Object.fromEntries(new URLSearchParams(key)));
  return filter === undefined || MATCHES[filter](row);
}
