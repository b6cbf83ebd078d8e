import { operation } from '../../operation.ts';

/** docs/contract.md, deleteMailbox. */
export const deleteMailbox = operation({
  method: 'DELETE',
  path: '/mailboxes/{id}',
  resource: 'mailbox',
  scope: 'mailboxes:write',
  operationId: 'deleteMailbox',
  summary: 'Delete a mailbox',
  description: 'Its login, its mail and its entry in the directory are deleted too.',
  tag: 'mailboxes',
  success: { status: 204, description: 'Deleted.' },
  run: ({ services, caller, id }) => services.mailboxes.delete(caller.projectId, id),
});
