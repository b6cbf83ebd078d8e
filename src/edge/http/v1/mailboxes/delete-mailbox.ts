import { operation } from '../../operation.ts';

/** docs/contract.md, deleteMailbox. */
export const deleteMailbox = operation({
  method: 'DELETE',
  path: '/mailboxes/{id}',
  scope: 'mailboxes:write',
  twin: 'deleteMailbox',
  summary: 'Delete a mailbox',
  description: 'Its login, its mail and its entry in the directory are deleted too.',
  success: { status: 204, description: 'Deleted.' },
  run: ({ services, caller, id }) => services.mailboxes.delete(caller.projectId, id),
});
