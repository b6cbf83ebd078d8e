import { dashboardOperation } from '../operation.ts';

/** It takes something away from applications and gives nothing to anybody: who finds a leaked key is not kept waiting for a password. */
export const revokeApiKey = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/api-keys/{id}',
  role: 'developer',
  resource: { name: 'API key', prefix: 'key' },
  summary: 'Revoke an API key',
  success: { status: 204, description: 'Every running server refuses the key within two seconds.' },
  run: ({ services, projectId, id }) => services.apiKeys.revoke(projectId, id),
});
