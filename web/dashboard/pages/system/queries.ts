import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api, type DashboardPaths } from '../../../api/dashboard.ts';

export type TlsResultsQuery = NonNullable<
  DashboardPaths['/system/tls-results']['get']['parameters']['query']
>;
export type QueuedRecipientsQuery = NonNullable<
  DashboardPaths['/system/queue/recipients']['get']['parameters']['query']
>;
export type QueueQuery = NonNullable<DashboardPaths['/system/queue']['get']['parameters']['query']>;

/** The key of all cached data about the queue, for invalidation. */
export const QUEUE = ['system', 'queue'];
export const LOG = ['system', 'log'];
export const OPERATOR_MAIL = ['system', 'operator-mail'];

const RUNNING_MS = 1_000;
const QUEUE_MS = 5_000;
const REFRESH_MS = 10_000;

export const doctorQuery = queryOptions({
  queryKey: ['system', 'doctor'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/doctor', { signal })),
  refetchInterval: ({ state }) => (state.data?.is_running === true ? RUNNING_MS : false),
});

export const operatorSignInQuery = queryOptions({
  queryKey: ['system', 'required-sign-in'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/required-sign-in', { signal })),
});

export const queueQuery = (query: QueueQuery) =>
  queryOptions({
    queryKey: [...QUEUE, query],
    queryFn: ({ signal }) => dataOf(api.GET('/system/queue', { params: { query }, signal })),
    refetchInterval: QUEUE_MS,
    placeholderData: (before) => before,
  });

export const queuedRecipientsQuery = (query: QueuedRecipientsQuery) =>
  infiniteQueryOptions({
    queryKey: [...QUEUE, 'recipients', query],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/system/queue/recipients', {
          params: { query: { ...query, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
  });

export const processesQuery = queryOptions({
  queryKey: ['system', 'processes'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/processes', { signal })),
  refetchInterval: QUEUE_MS,
});

export const storageQuery = queryOptions({
  queryKey: ['system', 'storage'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/storage', { signal })),
});

export const statementsQuery = queryOptions({
  queryKey: ['system', 'statements'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/statements', { signal })),
  refetchInterval: REFRESH_MS,
});

export const certificatesQuery = queryOptions({
  queryKey: ['system', 'certificates'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/certificates', { signal })),
});

export const tlsResultsQuery = (query: TlsResultsQuery) =>
  infiniteQueryOptions({
    queryKey: ['system', 'tls-results', query],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/system/tls-results', {
          params: { query: { ...query, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    placeholderData: (before) => before,
  });

export const operatorMailQuery = queryOptions({
  queryKey: OPERATOR_MAIL,
  queryFn: ({ signal }) => dataOf(api.GET('/system/operator-mail', { signal })),
  refetchInterval: REFRESH_MS,
});

export const operatorMessageQuery = (id: string) =>
  queryOptions({
    queryKey: [...OPERATOR_MAIL, id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/system/operator-mail/{id}', { params: { path: { id } }, signal })),
  });

export const versionsQuery = queryOptions({
  queryKey: ['system', 'versions'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/versions', { signal })),
});

export const logLevelQuery = queryOptions({
  queryKey: [...LOG, 'level'],
  queryFn: ({ signal }) => dataOf(api.GET('/system/log-level', { signal })),
  refetchInterval: REFRESH_MS,
});

export const changesQuery = infiniteQueryOptions({
  queryKey: [...LOG, 'changes'],
  queryFn: ({ signal, pageParam }) =>
    dataOf(
      api.GET('/system/changes', {
        params: { query: pageParam === null ? {} : { cursor: pageParam } },
        signal,
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (last) => last.next_cursor,
});
