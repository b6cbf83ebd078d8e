import { Usage } from '../../../../contract/dashboard/usage.ts';
import { dashboardOperation } from '../operation.ts';

export const getUsage = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/usage',
  role: 'viewer',
  summary: 'Tell how much of its plan a project uses, day by day',
  success: { status: 200, description: 'Its usage.', body: Usage },
  run: ({ services, projectId }) => services.projects.usage(projectId),
});
