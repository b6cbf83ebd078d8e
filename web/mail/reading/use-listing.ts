/** The list that the URL names: a folder, or the results of a search. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import type { MailFolder } from '../../../src/contract/mail/folders.ts';
import { useMailbox } from '../shell/session.ts';
import { folderAt, SEARCH, useFolders } from './folders.ts';
import { type ListView, MAX_SORTED_ROWS, viewOf } from './list-view.ts';
import { searchQuery, MAX_MATCHES, rowsQuery } from './queries.ts';
import { Rows } from './rows.ts';
import { number } from '../../ui/amounts.ts';

export interface Listing {
  /** Identifies the list that the URL names, so that a selection or a cursor of another list is not applied to it. */
  key: string;
  rows: Rows<ConversationRow>;
  /** The folder. Undefined for a search. */
  folder: MailFolder | undefined;
  q: string;
  /** The filter and the order of a folder. Empty for a search. */
  view: ListView;
  /** The parameters of the URL that select the list. */
  search: Readonly<Record<string, string>>;
  /** Whether no rows are loaded yet. */
  isPending: boolean;
  /** Whether the list still shows the rows of the previous search. */
  isOld: boolean;
  error: Error | null;
  retry(): void;
  /** Whether the mailbox has no folder with the name in the URL. */
  isUnknown: boolean;
  /** Notes about the results of a search. */
  notes: readonly string[];
}

export function useListing(): Listing {
  const { mailbox } = useMailbox();
  const { folder: slug = 'inbox' } = useParams({ strict: false });
  const search: Readonly<Record<string, string>> = useSearch({ strict: false });
  const isSearch = slug === SEARCH;
  const q = isSearch ? (search['q'] ?? '') : '';
  const view = isSearch ? {} : viewOf(search);
  const folders = useFolders();
  const folder = isSearch ? undefined : folderAt(folders, slug);
  const inFolder = useQuery({ ...rowsQuery(mailbox, folder?.id ?? '', view), enabled: folder !== undefined });
  const bySearch = useQuery({
    ...searchQuery(mailbox, q),
    enabled: isSearch && q !== '',
    placeholderData: keepPreviousData,
  });
  const query = isSearch ? bySearch : inFolder;
  const rows = (isSearch ? bySearch.data?.rows : inFolder.data) ?? NO_ROWS;
  useSyncExternalStore(rows.subscribe, rows.version);
  return {
    rows,
    folder,
    q,
    view,
    search: { ...(q !== '' && { q }), ...view },
    key: `${mailbox} ${slug} ${q} ${view.filter ?? ''} ${view.sort ?? ''}`,
    isPending: query.data === undefined && !(isSearch && q === ''),
    isOld: isSearch && bySearch.isPlaceholderData,
    error: query.error,
    retry: () => void query.refetch(),
    isUnknown: !isSearch && folders !== undefined && folder === undefined,
    notes: isSearch
      ? bySearch.data === undefined
        ? []
        : notesOf(bySearch.data)
      : orderNotes(view, rows.count),
  };
}

function orderNotes({ sort }: ListView, count: number): string[] {
  if ((sort !== 'sender' && sort !== 'size') || count < MAX_SORTED_ROWS) return [];
  return [`This order includes only the newest ${number(MAX_SORTED_ROWS)} conversations.`];
}

function notesOf({
  problem,
  isComplete,
  rows,
}: {
  problem: string | null;
  isComplete: boolean;
  rows: Rows<ConversationRow>;
}) {
  return [
    ...(problem === null ? [] : [problem]),
    ...(isComplete
      ? []
      : ['The search is slow. These results are from the newest part of the mailbox; scroll down for more.']),
    ...(rows.count < MAX_MATCHES
      ? []
      : [`Showing the newest ${number(MAX_MATCHES)} results. Add a word to narrow the search.`]),
  ];
}

const NO_ROWS = new Rows<ConversationRow>({ data: [], first_row: 0, total: 0 }, () =>
  Promise.reject(new TypeError('there is nothing to fetch')),
);
