import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Person } from '../../../../src/contract/directory.ts';

export type Source = Person['source'];

export const allDirectory = (project: string) => ['directory', project];

export const peopleQuery = (project: string, q: string, source: Source | '') =>
  infiniteQueryOptions({
    queryKey: [...allDirectory(project), 'people', q, source],
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/directory', {
          params: {
            path: { project },
            query: {
              ...(q !== '' && { q }),
              ...(source !== '' && { source }),
              ...(pageParam !== null && { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const sharesQuery = (project: string) =>
  queryOptions({
    queryKey: [...allDirectory(project), 'shares'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/shares', { params: { path: { project } }, signal })),
  });
