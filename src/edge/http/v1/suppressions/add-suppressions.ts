import { AddedSuppressions, AddSuppressions } from '../../../../contract/suppressions.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, addSuppressions. */
export const addSuppressions = operation({
  method: 'POST',
  path: '/suppressions',
  scope: 'suppressions:write',
  twin: 'addSuppressions',
  summary: 'Send no more mail to addresses',
  description:
    'Addition to the contract. Up to 1,000 addresses, all or none. It may be repeated: an entry that is there already only grows stronger.',
  body: AddSuppressions,
  success: { status: 200, description: 'What stands for each address now.', body: AddedSuppressions },
  run: ({ services, caller, body }) => services.suppressions.add(caller.projectId, body),
});
