import { dashboardOperation } from '../operation.ts';

export const removeDomain = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/domains/{id}',
  role: 'admin',
  resource: { name: 'domain', prefix: 'dom' },
  summary: 'Remove a domain and its DKIM keys',
  description: 'Mail from it that is still in the queue fails.',
  success: { status: 204, description: 'Removed.' },
  errors: ['hosted-domain-protected', 'domain-in-use'],
  run: ({ services, projectId, id }) => services.domains.remove(projectId, id),
});
