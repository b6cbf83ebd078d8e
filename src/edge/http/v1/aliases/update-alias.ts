import { Alias, UpdateAlias } from '../../../../contract/aliases.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, updateAlias. */
export const updateAlias = operation({
  method: 'PATCH',
  path: '/aliases/{id}',
  scope: 'mailboxes:write',
  twin: 'updateAlias',
  summary: 'Change where an alias leads to',
  description: 'Addition to the contract. The address stays as it is. Without a body nothing changes.',
  body: UpdateAlias,
  success: { status: 200, description: 'The alias as it is now.', body: Alias },
  run: ({ services, caller, id, body }) => services.aliases.update(caller.projectId, id, body),
});
