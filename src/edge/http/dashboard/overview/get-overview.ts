import { Overview, OverviewQuery } from '../../../../contract/dashboard/overview.ts';
import { dashboardOperation } from '../operation.ts';

export const getOverview = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/overview',
  role: 'viewer',
  summary: 'Tell what became of the emails of a project, what waits, and what needs somebody',
  query: OverviewQuery,
  success: { status: 200, description: 'The overview.', body: Overview },
  run: ({ services, projectId, query }) => services.overviews.read(projectId, query.range ?? '7d'),
});
