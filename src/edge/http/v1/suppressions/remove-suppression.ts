import { operation } from '../../operation.ts';

/** docs/contract.md, removeSuppression. */
export const removeSuppression = operation({
  method: 'DELETE',
  path: '/suppressions/{address}',
  scope: 'suppressions:write',
  twin: 'removeSuppressions',
  summary: 'Send mail to an address again',
  description:
    'Addition to the contract. From the next attempt on mail goes there again. If its server still refuses, the address is back with the next bounce.',
  success: { status: 204, description: 'Taken off the list.' },
  async run({ services, caller, address }) {
    return (await services.suppressions.remove(caller.projectId, [address])).length > 0;
  },
});
