import { CreateDomain, Domain } from '../../../../contract/domains.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, createDomain. */
export const createDomain = operation({
  method: 'POST',
  path: '/domains',
  scope: 'domains:write',
  twin: 'addDomain',
  summary: 'Add a domain',
  description: 'Returns the DNS records to publish. Publish them, then ask for verification.',
  body: CreateDomain,
  success: { status: 201, description: 'The domain.', body: Domain },
  errors: ['already-exists', 'plan-limit-exceeded'],
  run: ({ services, caller, body }) => services.domains.create(caller.projectId, body),
});
