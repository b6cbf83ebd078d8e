import { WebhookTest } from '../../../../contract/webhooks.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 19. */
export const testWebhook = operation({
  method: 'POST',
  path: '/webhooks/{id}/test',
  scope: 'webhooks:write',
  operationId: 'testWebhook',
  summary: 'Send a test event to a webhook',
  description:
    'Sends a signed webhook.test at once, once, also to a disabled webhook, and waits up to 10 seconds for the receiver. At most 20 tests of a project run at once.',
  tag: 'webhooks',
  success: { status: 200, description: 'What the receiver did, whatever that was.', body: WebhookTest },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const webhookId = decodeId('wh', id);
    const result = webhookId === null ? null : await services.webhooks.test(caller.projectId, webhookId);
    if (result === null) throw new AppError('not-found', 'There is no such webhook in this project.');
    return result;
  },
});
