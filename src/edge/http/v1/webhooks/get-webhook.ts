import { WebhookDetail } from '../../../../contract/webhooks.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 16. */
export const getWebhook = operation({
  method: 'GET',
  path: '/webhooks/{id}',
  scope: 'webhooks:read',
  operationId: 'getWebhook',
  summary: 'Fetch a webhook with its last deliveries',
  tag: 'webhooks',
  success: { status: 200, description: 'The webhook.', body: WebhookDetail },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const webhookId = decodeId('wh', id);
    const webhook = webhookId === null ? null : await services.webhooks.get(caller.projectId, webhookId);
    if (webhook === null) throw new AppError('not-found', 'There is no such webhook in this project.');
    return webhook;
  },
});
