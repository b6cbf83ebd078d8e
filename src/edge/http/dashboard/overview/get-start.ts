import { StartProgress } from '../../../../contract/dashboard/overview.ts';
import { dashboardOperation } from '../operation.ts';

export const getStart = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/start',
  role: 'viewer',
  summary: 'Tell how far a project is on the way to its first email',
  success: { status: 200, description: 'The progress.', body: StartProgress },
  run: ({ services, projectId }) => services.overviews.readStart(projectId),
});
