import { DashboardWebhookDetail } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const finishSecretRotation = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks/{id}/secret/finish',
  role: 'developer',
  confirms: true,
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Let the new secret sign alone',
  success: { status: 200, description: 'The webhook.', body: DashboardWebhookDetail },
  run: ({ services, projectId, id }) => services.webhookPages.finishRotation({ projectId, webhookId: id }),
});
