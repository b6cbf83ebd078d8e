/** Queries about a mailbox, and the queries' cache keys. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type {
  ConversationRow,
  MailConversation,
  MailSearchPage,
} from '../../../src/contract/mail/conversations.ts';
import { keyOf, type ListView } from './list-view.ts';
import { PAGE, type RowPage, Rows } from './rows.ts';

/** Options for queries whose data stays current through changes from the service: old data needs no refetch. */
const LIVE = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const;
/** How long a list stays cached, so that going back restores it. */
const CACHE_MS = 300_000;
const QUOTA_MS = 60_000;
/** The maximum number of search results. With more results, users refine the search instead of scrolling. */
export const MAX_MATCHES = 2_000;
const MAX_EMPTY = 10;

export function foldersQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['folders', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
    ...LIVE,
  });
}

export function quotaQuery(mailbox: string) {
  return queryOptions({
    queryKey: ['quota', mailbox],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })))
        .quota,
    staleTime: QUOTA_MS,
  });
}

/** @param folder the id of the folder */
export function rowsQuery(mailbox: string, folder: string, view: ListView = {}) {
  const key = keyOf(view);
  const fetchPage = (at: number, signal: AbortSignal) =>
    dataOf(
      api.GET('/mailboxes/{mailbox}/conversations', {
        params: { path: { mailbox }, query: { folder, ...view, limit: PAGE, at } },
        signal,
      }),
    );
  return queryOptions({
    queryKey: ['rows', mailbox, folder, key],
    queryFn: async ({ signal }) =>
      new Rows(await fetchPage(0, signal), fetchPage, {
        // With a filter, pinned conversations are not first.
        isByTime: view.sort === undefined && view.filter === undefined,
      }),
    structuralSharing: false,
    gcTime: CACHE_MS,
    ...LIVE,
    // A row that no longer matches, because the user has read it, stays in the list until the list is opened again.
    ...(key !== '' && { staleTime: 0 }),
  });
}

/** The results of a search. */
export interface SearchMatches {
  rows: Rows<ConversationRow>;
  problem: string | null;
  isComplete: boolean;
}

export function searchQuery(mailbox: string, q: string) {
  return queryOptions({
    queryKey: ['found', mailbox, q],
    async queryFn({ signal }): Promise<SearchMatches> {
      let next: string | null = null;
      const askOnce = (fetchSignal: AbortSignal) =>
        dataOf(
          api.GET('/mailboxes/{mailbox}/search', {
            params: { path: { mailbox }, query: { q, limit: PAGE, ...(next !== null && { cursor: next }) } },
            signal: fetchSignal,
          }),
        );
      const ask = async (
        at: number,
        fetchSignal: AbortSignal,
      ): Promise<MailSearchPage & RowPage<ConversationRow>> => {
        let page = await askOnce(fetchSignal);
        // The service responds to a slow search in parts, some of which are empty.
        for (let more = MAX_EMPTY; more > 0 && page.data.length === 0 && page.next !== null; more--) {
          next = page.next;
          page = await askOnce(fetchSignal);
        }
        next = at + page.data.length < MAX_MATCHES ? page.next : null;
        // If there may be more results, one additional row represents them.
        return { ...page, first_row: at, total: at + page.data.length + (next === null ? 0 : 1) };
      };
      const head = await ask(0, signal);
      return { rows: new Rows(head, ask), problem: head.problem, isComplete: head.is_complete };
    },
    structuralSharing: false,
    gcTime: CACHE_MS,
    refetchOnWindowFocus: false,
  });
}

/** A conversation, starting with its newest messages; `fetchPreviousPage` loads older messages. */
export function conversationQuery(mailbox: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ['conversation', mailbox, id],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/conversations/{id}', {
          params: { path: { mailbox, id }, query: pageParam === '' ? {} : { cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: () => null,
    getPreviousPageParam: (first: MailConversation) => first.previous,
    ...LIVE,
  });
}

/**
 * Whether a sent message is waiting until the installation again has the kind of provider (sandbox or real) for which the message was
 * accepted. Requested each time, because the wait can end without a change to the mailbox.
 */
export function waitingQuery(mailbox: string, id: string) {
  return queryOptions({
    queryKey: ['waiting', mailbox, id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/messages/{id}/waiting', { params: { path: { mailbox, id } }, signal }),
      ),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });
}

/** A message as shown to the reader. The content of a message never changes. */
export function messageQuery(mailbox: string, id: string) {
  return queryOptions({
    queryKey: ['message', mailbox, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/messages/{id}', { params: { path: { mailbox, id } }, signal })),
    gcTime: CACHE_MS,
    ...LIVE,
  });
}
