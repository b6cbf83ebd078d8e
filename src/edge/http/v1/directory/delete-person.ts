import { operation } from '../../operation.ts';

/** docs/contract.md, deletePerson. */
export const deletePerson = operation({
  method: 'DELETE',
  path: '/directory/{id}',
  scope: 'directory:write',
  twin: 'deletePerson',
  summary: 'Remove a person',
  description: 'A person who comes from a mailbox cannot be removed; a shared person is not found here.',
  success: { status: 204, description: 'Removed.' },
  errors: ['synced-member-protected'],
  run: ({ services, caller, id }) => services.directory.remove(caller.projectId, id),
});
