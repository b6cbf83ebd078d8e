import { DashboardAliasList } from '../../../../contract/dashboard/aliases.ts';
import { dashboardOperation } from '../operation.ts';

export const listAliases = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/aliases',
  role: 'viewer',
  summary: 'Aliases of a project',
  success: { status: 200, description: 'The aliases.', body: DashboardAliasList },
  run: ({ services, projectId }) => services.listAliases(projectId),
});
