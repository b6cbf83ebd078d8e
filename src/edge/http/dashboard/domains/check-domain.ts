import { DashboardDomain } from '../../../../contract/dashboard/domains.ts';
import { dashboardOperation } from '../operation.ts';

/** Looks at one domain at the same time are one look: all who ask meanwhile share the next. */
export const checkDomain = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/domains/{id}/check',
  role: 'developer',
  resource: { name: 'domain', prefix: 'dom' },
  summary: 'Look the records of a domain up in DNS',
  success: { status: 200, description: 'The domain, with what DNS has now.', body: DashboardDomain },
  run: async ({ services, projectId, id }) => {
    await services.domains.verify(projectId, id);
    return services.domains.getDetails(projectId, id);
  },
});
