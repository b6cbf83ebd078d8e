import { DashboardWebhookDetail } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const cancelSecretRotation = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks/{id}/secret/cancel',
  role: 'developer',
  confirms: true,
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Take the new secret back',
  description: 'The old one goes on alone.',
  success: { status: 200, description: 'The webhook.', body: DashboardWebhookDetail },
  errors: ['bad-request'],
  run: ({ services, projectId, id }) => services.webhookPages.cancelRotation({ projectId, webhookId: id }),
});
