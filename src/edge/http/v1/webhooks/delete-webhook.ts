import { operation } from '../../operation.ts';

/** docs/contract.md, deleteWebhook. */
export const deleteWebhook = operation({
  method: 'DELETE',
  path: '/webhooks/{id}',
  scope: 'webhooks:write',
  twin: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'Its deliveries are deleted too, even those that are still to be made.',
  success: { status: 204, description: 'Deleted.' },
  run: ({ services, caller, id }) => services.webhooks.remove(caller.projectId, id),
});
