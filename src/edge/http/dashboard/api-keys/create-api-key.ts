import { CreateApiKey, CreatedApiKey } from '../../../../contract/dashboard/api-keys.ts';
import { dashboardOperation } from '../operation.ts';

export const createApiKey = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/api-keys',
  role: 'developer',
  confirms: true,
  summary: 'Make an API key',
  description:
    'A key can do no more than its maker: `granted_by` of `GET` names the least role of each scope.',
  body: CreateApiKey,
  success: { status: 201, description: 'The key, with its token: it is shown once.', body: CreatedApiKey },
  run: ({ services, principal, projectId, body }) => services.apiKeys.create(projectId, principal, body),
});
