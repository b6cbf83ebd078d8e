import { WebhookTest } from '../../../../contract/webhooks.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, testWebhook. */
export const testWebhook = operation({
  method: 'POST',
  path: '/webhooks/{id}/test',
  scope: 'webhooks:write',
  twin: 'testWebhook',
  summary: 'Send a test event to a webhook',
  description:
    'Sends one signed webhook.test at once, even to a disabled webhook, and waits up to 10 seconds for the receiver. At most 20 tests of a project run at once.',
  success: { status: 200, description: 'What the receiver answered, success or not.', body: WebhookTest },
  run: ({ services, caller, id }) => services.webhooks.test(caller.projectId, id),
});
