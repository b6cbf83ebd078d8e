import { WebhookDetail } from '../../../../contract/webhooks.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getWebhook. */
export const getWebhook = operation({
  method: 'GET',
  path: '/webhooks/{id}',
  scope: 'webhooks:read',
  twin: 'getWebhook',
  summary: 'Fetch a webhook with its last deliveries',
  success: { status: 200, description: 'The webhook.', body: WebhookDetail },
  run: ({ services, caller, id }) => services.webhooks.get(caller.projectId, id),
});
