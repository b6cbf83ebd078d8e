import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api, type DashboardPaths } from '../../../api/dashboard.ts';

type Operation = DashboardPaths['/projects/{project}/metrics']['get'];
export type MetricsQuery = NonNullable<Operation['parameters']['query']>;

export const metricsQuery = (project: string, query: MetricsQuery) =>
  queryOptions({
    queryKey: ['metrics', project, query],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/metrics', { params: { path: { project }, query }, signal })),
  });
