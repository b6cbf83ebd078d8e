/** The rows of a search: pages that are fetched ahead, and what comes meanwhile. */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, dataOf } from '../../../api/client.ts';
import type { LoggedEmail } from '../../../api/schema.ts';
import { useProject } from '../../shell/session.ts';

const PAGE = 200;
const POLL_MS = 2_000;
/** A list of so many rows is as high as browsers can show. */
export const MAX_ROWS = 400_000;

/** More are asked for anew, in place of being kept. */
const MAX_NEWS = 20_000;

/** What has come since a search was made. */
interface News {
  /** Of which search. */
  of: string;
  /** Newest first. */
  rows: readonly LoggedEmail[];
  /** How many of them are in the list. */
  shown: number;
  /** More came than was asked for: between these and the list some are missing. */
  hasGap: boolean;
}

export function useLog(q: string, isLive: boolean) {
  const { id: project } = useProject();
  const queries = useQueryClient();
  const query = q === '' ? {} : { q };
  const path = { project };
  const log = useInfiniteQuery({
    queryKey: queryKeyOf(project, q),
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        api.GET('/projects/{project}/emails', {
          params: { path, query: { ...query, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: (page, pages) =>
      pages.length * PAGE >= MAX_ROWS ? undefined : (page.next_cursor ?? undefined),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
  const { data } = log;
  const fetched = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);

  const [kept, setNews] = useState<News>({ ...NO_NEWS, of: '' });
  const key = `${project} ${q}`;
  const news = kept.of === key ? kept : { ...NO_NEWS, of: key };
  const newest = (news.rows[0] ?? fetched[0])?.id;
  const live = useQuery({
    queryKey: ['emails-live', project, q],
    enabled: isLive && log.isSuccess && !log.isPlaceholderData,
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/emails', {
          params: { path, query: { ...query, limit: PAGE, ...(newest !== undefined && { after: newest }) } },
          signal,
        }),
      ),
    gcTime: 0,
    staleTime: 0,
  });
  const recent = isLive && !log.isPlaceholderData ? (live.data?.data ?? NONE) : NONE;

  // What the newest pages and the poll have in common is there once, as it is now.
  const known = useMemo(() => new Set(fetched.slice(0, PAGE * 5).map(({ id }) => id)), [fetched]);
  const heard = useMemo(() => new Set(news.rows.map(({ id }) => id)), [news.rows]);
  const unknown = recent.filter(({ id }) => !known.has(id) && !heard.has(id));
  const meets = newest === undefined || unknown.length < recent.length || live.data?.next_cursor === null;
  if (unknown.length > 0 && !news.hasGap) {
    const rows = [...unknown, ...news.rows].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    setNews(meets && rows.length <= MAX_NEWS ? { ...news, rows } : { ...news, hasGap: true });
  }
  const now = useMemo(() => new Map(recent.map((row) => [row.id, row])), [recent]);
  const waiting = news.rows.length - news.shown;
  const showWaiting = () => {
    if (!news.hasGap) setNews({ ...news, shown: news.rows.length });
    else {
      // The poll has the first page as it is now; without a next one the list is asked for anew.
      const page = live.data;
      if (page == null || page.next_cursor === null)
        void queries.resetQueries({ queryKey: queryKeyOf(project, q) });
      else queries.setQueryData(queryKeyOf(project, q), { pages: [page], pageParams: [''] });
      setNews({ ...NO_NEWS, of: key });
    }
  };
  const rows = useMemo(
    () => [...news.rows.slice(waiting), ...fetched].map((row) => now.get(row.id) ?? row),
    [news.rows, waiting, fetched, now],
  );
  return {
    rows,
    /** How many have come that are not among the rows; with `hasMoreWaiting` at least so many. */
    waiting: news.hasGap ? Math.max(waiting, unknown.length) : waiting,
    hasMoreWaiting: news.hasGap,
    showWaiting,
    /** Why what is typed cannot be looked for. */
    fault: data?.pages[0]?.fault ?? undefined,
    unmatched: data?.pages[0]?.unmatched ?? [],
    isComplete: data?.pages.every((page) => page.is_complete) ?? true,
    isPending: log.isPending,
    /** These are still the rows of the search before. */
    isOld: log.isPlaceholderData,
    error: log.error,
    hasMore: log.hasNextPage,
    isFetchingMore: log.isFetchingNextPage,
    fetchMore: () => void log.fetchNextPage(),
    retry: () => void log.refetch(),
  };
}

const NONE: readonly LoggedEmail[] = [];
const NO_NEWS = { rows: NONE, shown: 0, hasGap: false };

function queryKeyOf(project: string, q: string) {
  return ['emails', project, q];
}
