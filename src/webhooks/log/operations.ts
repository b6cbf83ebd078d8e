/** Operations on deliveries of a webhook. `run.ts` implements them. */
import { DeliveryDetail, DeliveryPage, DeliveryQuery } from '../../contract/dashboard/webhooks.ts';
import { declare } from '../../contract/operation.ts';

export const WEBHOOK_LOG_OPERATIONS = {
  listWebhookDeliveries: declare({
    summary: 'List the deliveries of a webhook',
    query: DeliveryQuery,
    success: { status: 200, description: 'A page.', body: DeliveryPage },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/webhooks/{id}/deliveries',
        role: 'viewer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  getWebhookDelivery: declare({
    summary: 'Fetch a delivery with its bodies',
    description: 'Users who may not see the content of emails get empty bodies.',
    success: { status: 200, description: 'The delivery.', body: DeliveryDetail },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/webhooks/{id}/deliveries/{part}',
        role: 'viewer',
        resource: { name: 'webhook', prefix: 'wh' },
        part: { name: 'delivery', prefix: 'dlv' },
      },
    },
  }),
};
