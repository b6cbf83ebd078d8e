import { ApiKey, RenameApiKey } from '../../../../contract/dashboard/api-keys.ts';
import { dashboardOperation } from '../operation.ts';

export const renameApiKey = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}/api-keys/{id}',
  role: 'developer',
  resource: { name: 'API key', prefix: 'key' },
  summary: 'Rename an API key',
  body: RenameApiKey,
  success: { status: 200, description: 'The key.', body: ApiKey },
  run: ({ services, projectId, id, body }) => services.apiKeys.rename(projectId, id, body.name),
});
