import { ApiKeyList } from '../../../../contract/dashboard/api-keys.ts';
import { dashboardOperation } from '../operation.ts';

export const listApiKeys = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/api-keys',
  role: 'viewer',
  summary: 'List the API keys of a project, and the scopes that there are',
  success: { status: 200, description: 'The keys, without their tokens.', body: ApiKeyList },
  run: ({ services, projectId }) => services.apiKeys.list(projectId),
});
