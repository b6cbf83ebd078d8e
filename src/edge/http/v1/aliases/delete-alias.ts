import { operation } from '../../operation.ts';

/** docs/contract.md, deleteAlias. */
export const deleteAlias = operation({
  method: 'DELETE',
  path: '/aliases/{id}',
  scope: 'mailboxes:write',
  twin: 'deleteAlias',
  summary: 'Delete an alias',
  description: 'Addition to the contract. Its mailboxes keep the mail that came by it.',
  success: { status: 204, description: 'Deleted.' },
  run: ({ services, caller, id }) => services.aliases.delete(caller.projectId, id),
});
