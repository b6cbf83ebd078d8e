import { UpdateWebhook, Webhook } from '../../../../contract/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const updateWebhook = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}/webhooks/{id}',
  role: 'developer',
  confirms: true,
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Change, pause or resume a webhook',
  description: 'To pause it (`enabled: false`) fails what waits.',
  body: UpdateWebhook,
  success: { status: 200, description: 'The webhook.', body: Webhook },
  run: ({ services, projectId, id, body }) => services.webhooks.update(projectId, id, body),
});
