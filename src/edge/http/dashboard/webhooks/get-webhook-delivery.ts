import { DeliveryDetail } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const getWebhookDelivery = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/webhooks/{id}/deliveries/{part}',
  role: 'viewer',
  resource: { name: 'webhook', prefix: 'wh' },
  part: { name: 'delivery', prefix: 'dlv' },
  summary: 'Fetch a delivery with its bodies',
  description: 'Who may not see the contents of emails gets empty bodies.',
  success: { status: 200, description: 'The delivery.', body: DeliveryDetail },
  run: ({ services, principal, projectId, id, partId }) =>
    services.webhookPages.delivery({
      projectId,
      webhookId: id,
      deliveryId: partId,
      seesBodies: principal.seesBodies,
    }),
});
