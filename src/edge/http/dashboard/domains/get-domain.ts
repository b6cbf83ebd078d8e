import { DashboardDomain } from '../../../../contract/dashboard/domains.ts';
import { dashboardOperation } from '../operation.ts';

export const getDomain = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/domains/{id}',
  role: 'viewer',
  resource: { name: 'domain', prefix: 'dom' },
  summary: 'Get a domain, with its records and what DNS had of them',
  success: { status: 200, description: 'The domain.', body: DashboardDomain },
  run: ({ services, projectId, id }) => services.domains.getDetails(projectId, id),
});
