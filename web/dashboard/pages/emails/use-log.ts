/** The rows of a search: pages are loaded ahead, and new emails are polled for. */
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { EmailLog, LoggedEmail } from '../../../../src/contract/dashboard/email-log.ts';
import { useLiveUpdates } from '../../shell/live.ts';
import { useProject } from '../../shell/session.ts';
import { LogRows } from './log-rows.ts';

const PAGE = 200;
const POLL_MS = 2_000;
/** How long the list stays cached, so that going back from an email restores it. */
const CACHE_MS = 300_000;

/** If more new emails than this arrive, the list is reloaded instead of extended. */
const MAX_NEW_ROWS = 20_000;

/** The emails that have arrived since the list was loaded. */
interface NewRows {
  /** The search that the emails belong to. */
  of: string;
  /** The new emails, newest first. */
  rows: readonly LoggedEmail[];
  /** How many of the new emails the list shows. */
  shown: number;
  /** Whether more emails arrived than one poll returns, so that emails between `rows` and the loaded list are missing. */
  hasGap: boolean;
}

export function useLog(q: string, isLive: boolean) {
  const { id: project } = useProject();
  const queries = useQueryClient();
  const query = q === '' ? {} : { q };
  const fetchPage = (more: { cursor?: string; after?: string }, signal?: AbortSignal) =>
    dataOf(
      api.GET('/projects/{project}/emails', {
        params: { path: { project }, query: { ...query, limit: PAGE, ...more } },
        ...(signal !== undefined && { signal }),
      }),
    );
  const fetchMore = (cursor: string, signal?: AbortSignal) =>
    fetchPage(cursor === '' ? {} : { cursor }, signal);
  const log = useQuery({
    queryKey: queryKeyOf(project, q),
    queryFn: async ({ signal }) => new LogRows(await fetchMore('', signal), fetchMore),
    structuralSharing: false,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: CACHE_MS,
  });
  // While the typed search is invalid, the rows of the previous search stay.
  const fault = log.data?.head.fault ?? undefined;
  const [found, setFound] = useState(NO_ROWS);
  if (log.data !== undefined && fault === undefined && log.data !== found) setFound(log.data);
  const older = fault === undefined ? (log.data ?? NO_ROWS) : found;
  const isOfOther = log.isPlaceholderData || fault !== undefined;
  useSyncExternalStore(older.subscribe, older.version);
  const { fresh } = older;

  const [stored, setNewRows] = useState<NewRows>({ ...NO_NEW_ROWS, of: '' });
  const key = `${project} ${q}`;
  const newRows = stored.of === key ? stored : { ...NO_NEW_ROWS, of: key };
  const newest = (newRows.rows[0] ?? fresh[0])?.id;
  const liveKey = ['emails-live', project, q];
  const live = useQuery({
    queryKey: liveKey,
    enabled: isLive && log.isSuccess && !isOfOther,
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) => fetchPage(newest === undefined ? {} : { after: newest }, signal),
    gcTime: 0,
    staleTime: 0,
  });
  const updates = useLiveUpdates(live);
  const recent = isLive && !isOfOther ? (live.data?.data ?? NONE) : NONE;

  // A row that is in both the newest pages and the poll appears once, in its current state.
  const known = useMemo(() => new Set(fresh.map(({ id }) => id)), [fresh]);
  const knownIds = useMemo(() => new Set(newRows.rows.map(({ id }) => id)), [newRows.rows]);
  const unknown = recent.filter(({ id }) => !known.has(id) && !knownIds.has(id));
  const meets = newest === undefined || unknown.length < recent.length || live.data?.next_cursor === null;
  const now = useMemo(() => new Map(recent.map((row) => [row.id, row])), [recent]);
  const asNow = (row: LoggedEmail) => now.get(row.id) ?? row;
  if (unknown.length > 0 && !newRows.hasGap) {
    const rows = [...unknown, ...newRows.rows.map(asNow)].toSorted((a, b) => (a.id < b.id ? 1 : -1));
    setNewRows(meets && rows.length <= MAX_NEW_ROWS ? { ...newRows, rows } : { ...newRows, hasGap: true });
  }
  // If the next poll no longer returns a row, the row keeps its state from this poll.
  useEffect(() => older.update(now), [older, now]);
  const waiting = newRows.rows.length - newRows.shown;
  const showWaiting = () => {
    if (!newRows.hasGap) setNewRows({ ...newRows, shown: newRows.rows.length });
    else {
      // Start a new list from the first page that the poll has just returned. If that page has no next page, reload the list instead.
      const page = live.data;
      if (page == null || page.next_cursor === null)
        void queries.resetQueries({ queryKey: queryKeyOf(project, q) });
      else queries.setQueryData(queryKeyOf(project, q), new LogRows(page, fetchMore));
      setNewRows({ ...NO_NEW_ROWS, of: key });
    }
  };
  /** Fetches one email again. The list is not loaded again, because it would lose its place. */
  const refresh = async (id: string) => {
    const { data } = await dataOf(
      api.GET('/projects/{project}/emails', { params: { path: { project }, query: { q: id, limit: 1 } } }),
    );
    const current = new Map(data.map((row) => [row.id, row]));
    const updated = (rows: readonly LoggedEmail[]) => rows.map((row) => current.get(row.id) ?? row);
    // A poll that began before the change would return the earlier state.
    await queries.cancelQueries({ queryKey: liveKey });
    queries.setQueryData<EmailLog>(liveKey, (page) => page && { ...page, data: updated(page.data) });
    setNewRows((before) => ({ ...before, rows: updated(before.rows) }));
    older.update(current);
  };
  const shown = newRows.rows.slice(waiting);
  /** The row at an index. Undefined if the row is being loaded again or does not exist. */
  const rowAt = (index: number) => {
    const row = index < shown.length ? shown[index] : older.at(index - shown.length);
    return row && asNow(row);
  };
  /** The index of a loaded row; -1 if the row is not loaded or does not exist. */
  const indexOf = (id: string) => {
    const at = shown.findIndex((row) => row.id === id);
    const before = at === -1 ? older.indexOf(id) : -1;
    return before === -1 ? at : before + shown.length;
  };
  return {
    count: shown.length + older.count,
    rowAt,
    indexOf,
    refresh,
    /** The current state of a row; its earlier state if it is no longer loaded. */
    currentOf: (row: LoggedEmail) => rowAt(indexOf(row.id)) ?? row,
    /** The emails before and after an email in the list; each is undefined if it is not loaded. */
    neighborsOf(id: string) {
      const index = indexOf(id);
      return index === -1 ? {} : { before: rowAt(index - 1)?.id, after: rowAt(index + 1)?.id };
    },
    setVisibleRange: (first: number, last: number) =>
      older.setVisibleRange(first - shown.length, last - shown.length),
    /** Whether new emails would appear, and when the list was last up to date. */
    updates,
    /** The first page as it was loaded. `added` counts the rows above it, which arrived later. */
    head: older.head,
    added: shown.length,
    /** The emails of the newest loaded pages. */
    fresh,
    /** The number of new emails that are not shown yet. If `hasMoreWaiting` is true, there may be more new emails. */
    waiting: newRows.hasGap ? Math.max(waiting, unknown.length) : waiting,
    hasMoreWaiting: newRows.hasGap,
    showWaiting,
    /** The reason why the search is invalid; undefined for a valid search. */
    fault,
    unmatched: older.head.unmatched,
    isComplete: older.isComplete,
    isPending: log.isPending,
    /** Whether the list still shows the rows of the previous search. */
    isOld: log.isPlaceholderData,
    error: log.error,
    hasMore: older.hasMore,
    retry: () => void log.refetch(),
  };
}

const NONE: readonly LoggedEmail[] = [];
const NO_ROWS = new LogRows(
  { data: [], next_cursor: null, unmatched: [], fault: null, is_complete: true },
  () => Promise.reject(new TypeError('there is nothing to fetch')),
);
const NO_NEW_ROWS = { rows: NONE, shown: 0, hasGap: false };

function queryKeyOf(project: string, q: string) {
  return ['emails', project, q];
}
