import { UpdateWebhook, Webhook } from '../../../../contract/webhooks.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, updateWebhook. */
export const updateWebhook = operation({
  method: 'PATCH',
  path: '/webhooks/{id}',
  scope: 'webhooks:write',
  twin: 'updateWebhook',
  summary: 'Change, disable or enable a webhook',
  description: 'The secret stays as it is. Without a body nothing changes.',
  body: UpdateWebhook,
  success: { status: 200, description: 'The webhook as it is now.', body: Webhook },
  run: ({ services, caller, id, body }) => services.webhooks.update(caller.projectId, id, body),
});
