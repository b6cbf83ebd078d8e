import { DashboardDomainList } from '../../../../contract/dashboard/domains.ts';
import { dashboardOperation } from '../operation.ts';

export const listDomains = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/domains',
  role: 'viewer',
  summary: 'List the domains of a project',
  success: { status: 200, description: 'The domains, the hosted one first.', body: DashboardDomainList },
  run: ({ services, projectId }) => services.domains.listSummaries(projectId),
});
