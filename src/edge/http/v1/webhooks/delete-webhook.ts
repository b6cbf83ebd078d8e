import { AppError } from '../../../../model/app-error.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

/** Contract row 18. */
export const deleteWebhook = operation({
  method: 'DELETE',
  path: '/webhooks/{id}',
  scope: 'webhooks:write',
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Its deliveries go with it, also those that are still to be made.',
  tag: 'webhooks',
  success: { status: 204, description: 'Deleted.' },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const webhookId = decodeId('wh', id);
    const removed = webhookId !== null && (await services.webhooks.remove(caller.projectId, webhookId));
    if (!removed) throw new AppError('not-found', 'There is no such webhook in this project.');
  },
});
