import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Suppression } from '../../../../src/contract/suppressions.ts';

export type Reason = Suppression['reason'];

export interface SuppressionFilter {
  q: string;
  /** The reason to filter by; empty for all reasons. */
  reason: Reason | '';
}

/** The key of all cached data about a project's suppressions, for invalidation. */
export const allSuppressions = (project: string) => ['suppressions', project];

export const suppressionsQuery = (project: string, { q, reason }: SuppressionFilter) =>
  infiniteQueryOptions({
    queryKey: [...allSuppressions(project), 'list', q, reason],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/suppressions', {
          params: {
            path: { project },
            query: {
              ...(q !== '' && { q }),
              ...(reason !== '' && { reason }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const whyQuery = (project: string, address: string) =>
  queryOptions({
    queryKey: [...allSuppressions(project), 'why', address],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/suppressions/why', {
          params: { path: { project }, query: { address } },
          signal,
        }),
      ),
  });
