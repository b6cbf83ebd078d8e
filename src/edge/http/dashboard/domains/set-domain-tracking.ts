import { DashboardDomain, DomainTrackingSettings } from '../../../../contract/dashboard/domains.ts';
import { dashboardOperation } from '../operation.ts';

export const setDomainTracking = dashboardOperation({
  method: 'PUT',
  path: '/projects/{project}/domains/{id}/tracking',
  role: 'admin',
  resource: { name: 'domain', prefix: 'dom' },
  summary: 'Set what is tracked in mail from a domain',
  body: DomainTrackingSettings,
  success: {
    status: 200,
    description: 'The domain. Running servers know within two seconds.',
    body: DashboardDomain,
  },
  errors: ['hosted-domain-protected'],
  run: async ({ services, projectId, id, body }) => {
    await services.domains.setTracking(projectId, id, body);
    return services.domains.getDetails(projectId, id);
  },
});
