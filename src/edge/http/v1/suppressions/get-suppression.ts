import { Suppression } from '../../../../contract/suppressions.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getSuppression. */
export const getSuppression = operation({
  method: 'GET',
  path: '/suppressions/{address}',
  scope: 'suppressions:read',
  twin: 'explainSuppression',
  summary: 'Fetch why an address gets no more mail',
  description: 'Addition to the contract. 404: it is not on the list.',
  success: { status: 200, description: 'The entry.', body: Suppression },
  run: ({ services, caller, address }) => services.suppressions.find(caller.projectId, address),
});
