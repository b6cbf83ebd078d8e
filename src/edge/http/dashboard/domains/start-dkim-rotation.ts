import { DashboardDomain } from '../../../../contract/dashboard/domains.ts';
import { dashboardOperation } from '../operation.ts';

export const startDkimRotation = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/domains/{id}/dkim-rotation',
  role: 'admin',
  confirms: true,
  resource: { name: 'domain', prefix: 'dom' },
  summary: 'Make the DKIM key of a domain that is to sign next',
  description: 'Its record stands beside the other one. Once it is seen in DNS, its key signs.',
  success: { status: 200, description: 'The domain, with the record to publish.', body: DashboardDomain },
  errors: ['hosted-domain-protected'],
  run: async ({ services, projectId, id }) => {
    await services.domains.startDkimRotation(projectId, id);
    return services.domains.getDetails(projectId, id);
  },
});
