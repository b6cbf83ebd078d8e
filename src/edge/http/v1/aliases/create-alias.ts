import { Alias, CreateAlias } from '../../../../contract/aliases.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, createAlias. */
export const createAlias = operation({
  method: 'POST',
  path: '/aliases',
  scope: 'mailboxes:write',
  twin: 'createAlias',
  summary: 'Create an alias',
  description:
    'Addition to the contract. The domain must have been added to the project; it need not be verified, and the mailboxes may be on others.',
  body: CreateAlias,
  success: { status: 201, description: 'The alias.', body: Alias },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, caller, body }) => services.aliases.create(caller.projectId, body),
});
