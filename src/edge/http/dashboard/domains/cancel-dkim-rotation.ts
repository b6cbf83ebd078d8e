import { DashboardDomain } from '../../../../contract/dashboard/domains.ts';
import { dashboardOperation } from '../operation.ts';

export const cancelDkimRotation = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/domains/{id}/dkim-rotation',
  role: 'admin',
  confirms: true,
  resource: { name: 'domain', prefix: 'dom' },
  summary: 'Forget the DKIM key that was to sign next',
  description: 'A key that signs already goes on signing.',
  success: { status: 200, description: 'The domain.', body: DashboardDomain },
  errors: ['hosted-domain-protected'],
  run: async ({ services, projectId, id }) => {
    await services.domains.cancelDkimRotation(projectId, id);
    return services.domains.getDetails(projectId, id);
  },
});
