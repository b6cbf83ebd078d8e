import { AliasList } from '../../../../contract/aliases.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listAliases. */
export const listAliases = operation({
  method: 'GET',
  path: '/aliases',
  scope: 'mailboxes:read',
  twin: 'listAliases',
  summary: 'List aliases, oldest first',
  description: 'Addition to the contract.',
  success: { status: 200, description: 'All aliases of the project.', body: AliasList },
  run: ({ services, caller }) => services.aliases.list(caller.projectId),
});
