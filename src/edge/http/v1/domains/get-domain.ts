import { Domain } from '../../../../contract/domains.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, getDomain. */
export const getDomain = operation({
  method: 'GET',
  path: '/domains/{id}',
  scope: 'domains:read',
  twin: 'getDomain',
  summary: 'Fetch a domain with its DNS records',
  success: { status: 200, description: 'The domain, as of the last check of DNS.', body: Domain },
  run: ({ services, caller, id }) => services.domains.get(caller.projectId, id),
});
