import { DashboardWebhookDetail } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const getWebhook = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/webhooks/{id}',
  role: 'viewer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Fetch a webhook, with what waits and its last replay',
  success: { status: 200, description: 'The webhook.', body: DashboardWebhookDetail },
  run: ({ services, projectId, id }) => services.webhookPages.get({ projectId, webhookId: id }),
});
