import { CreateWebhook, CreatedWebhook } from '../../../../contract/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const createWebhook = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks',
  role: 'developer',
  confirms: true,
  summary: 'Make a webhook',
  description: 'Its signing secret is in the answer, and in no other one.',
  body: CreateWebhook,
  success: { status: 201, description: 'The webhook, with its secret.', body: CreatedWebhook },
  errors: ['plan-limit-exceeded'],
  run: ({ services, projectId, body }) => services.webhooks.create(projectId, body),
});
