import { Alias } from '../../../../contract/aliases.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getAlias. */
export const getAlias = operation({
  method: 'GET',
  path: '/aliases/{id}',
  scope: 'mailboxes:read',
  twin: 'listAliases',
  summary: 'Fetch an alias',
  description: 'Addition to the contract.',
  success: { status: 200, description: 'The alias.', body: Alias },
  run: ({ services, caller, id }) => services.aliases.get(caller.projectId, id),
});
