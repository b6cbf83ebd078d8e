import { DeliveryPage, DeliveryQuery } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const listWebhookDeliveries = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/webhooks/{id}/deliveries',
  role: 'viewer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Deliveries of a webhook, page by page',
  query: DeliveryQuery,
  success: { status: 200, description: 'A page.', body: DeliveryPage },
  run: ({ services, projectId, id, query }) =>
    services.webhookPages.deliveries({ projectId, webhookId: id }, query),
});
