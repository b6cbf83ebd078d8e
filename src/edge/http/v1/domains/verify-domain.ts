import { Domain } from '../../../../contract/domains.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, verifyDomain. */
export const verifyDomain = operation({
  method: 'POST',
  path: '/domains/{id}/verify',
  scope: 'domains:write',
  twin: 'checkDomain',
  summary: 'Check the DNS records of a domain again',
  description: 'Checks DNS now and returns what it found: the flags, and each record with what DNS has.',
  success: { status: 200, description: 'The domain after the check.', body: Domain },
  run: ({ services, caller, id }) => services.domains.verify(caller.projectId, id),
});
