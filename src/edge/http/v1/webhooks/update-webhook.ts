import { UpdateWebhook, Webhook } from '../../../../contract/webhooks.ts';
import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 17. */
export const updateWebhook = operation({
  method: 'PATCH',
  path: '/webhooks/{id}',
  scope: 'webhooks:write',
  operationId: 'updateWebhook',
  summary: 'Change, disable or enable a webhook',
  description: 'The secret stays. Without a body nothing changes.',
  tag: 'webhooks',
  body: UpdateWebhook,
  success: { status: 200, description: 'The webhook as it is now.', body: Webhook },
  errors: ['not-found'],
  async run({ services, caller, id, body }) {
    const webhook = await services.webhooks.update(caller.projectId, decodeId('wh', id), body);
    if (webhook === null) throw new AppError('not-found', 'There is no such webhook in this project.');
    return webhook;
  },
});
