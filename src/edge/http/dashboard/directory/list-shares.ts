import { Shares } from '../../../../contract/dashboard/directory.ts';
import { dashboardOperation } from '../operation.ts';

export const listShares = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/shares',
  role: 'viewer',
  summary: 'List whose directories a project sees, and who sees its own',
  success: { status: 200, description: 'The shares.', body: Shares },
  run: ({ services, projectId }) => services.directory.shares(projectId),
});
