import { DeliveryDetail } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const replayWebhookDelivery = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks/{id}/deliveries/{part}/replay',
  role: 'developer',
  resource: { name: 'webhook', prefix: 'wh' },
  part: { name: 'delivery', prefix: 'dlv' },
  summary: 'Send a failed delivery again',
  description: 'With all its attempts anew. One that waits is left as it is.',
  success: { status: 200, description: 'The delivery, which waits now.', body: DeliveryDetail },
  errors: ['bad-request'],
  run: ({ services, principal, projectId, id, partId }) =>
    services.webhookPages.replayDelivery({
      projectId,
      webhookId: id,
      deliveryId: partId,
      seesBodies: principal.seesBodies,
    }),
});
