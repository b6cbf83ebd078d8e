import { Metrics, MetricsQuery } from '../../../../contract/dashboard/metrics.ts';
import { dashboardOperation } from '../operation.ts';

export const getMetrics = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/metrics',
  role: 'viewer',
  summary: 'Tell what became of the emails of a project over time, and by what they have in common',
  query: MetricsQuery,
  success: { status: 200, description: 'The numbers of all charts.', body: Metrics },
  run: ({ services, projectId, query }) =>
    services.overviews.readCharts(projectId, query.range ?? '7d', query.by ?? 'all'),
});
