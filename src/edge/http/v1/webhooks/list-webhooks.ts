import { WebhookList } from '../../../../contract/webhooks.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listWebhooks. */
export const listWebhooks = operation({
  method: 'GET',
  path: '/webhooks',
  scope: 'webhooks:read',
  twin: 'listWebhooks',
  summary: 'List webhooks, oldest first',
  success: { status: 200, description: 'All webhooks of the project.', body: WebhookList },
  run: ({ services, caller }) => services.webhooks.list(caller.projectId),
});
