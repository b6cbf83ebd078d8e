import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';

export const allAliases = (project: string) => ['aliases', project];

export const aliasesQuery = (project: string) =>
  queryOptions({
    queryKey: allAliases(project),
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/aliases', { params: { path: { project } }, signal })),
  });
