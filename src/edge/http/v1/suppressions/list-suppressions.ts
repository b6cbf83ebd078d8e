import { ListSuppressionsQuery, SuppressionList } from '../../../../contract/suppressions.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listSuppressions. */
export const listSuppressions = operation({
  method: 'GET',
  path: '/suppressions',
  scope: 'suppressions:read',
  twin: 'listSuppressions',
  summary: 'List addresses that get no more mail, newest first',
  description:
    'Addition to the contract. Pages are stable: what is added meanwhile does not shift later pages.',
  query: ListSuppressionsQuery,
  success: { status: 200, description: 'A page of the list.', body: SuppressionList },
  run: ({ services, caller, query }) => services.suppressions.list(caller.projectId, query),
});
