import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { RejectedRequestQuery } from '../../../../src/contract/dashboard/api-log.ts';

export type RequestFilter = Pick<RejectedRequestQuery, 'key' | 'problem'>;

export const rejectedQuery = (project: string, filter: RequestFilter) =>
  infiniteQueryOptions({
    queryKey: ['rejected-requests', project, filter],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/rejected-requests', {
          params: {
            path: { project },
            query: { ...filter, ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const requestQuery = (project: string, id: string) =>
  queryOptions({
    queryKey: ['rejected-request', project, id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/rejected-requests/{id}', { params: { path: { project, id } }, signal }),
      ),
    // A logged request does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
