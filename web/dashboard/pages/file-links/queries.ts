import { infiniteQueryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';

export const fileLinksQuery = (project: string) =>
  infiniteQueryOptions({
    queryKey: ['file-links', project],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      dataOf(
        api.GET('/projects/{project}/file-links', {
          params: { path: { project }, query: pageParam === '' ? {} : { cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: ({ next }) => next,
  });
