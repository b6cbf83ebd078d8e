import { DomainList } from '../../../../contract/domains.ts';
import { operation } from '../../operation.ts';

/** docs/contract.md, listDomains. */
export const listDomains = operation({
  method: 'GET',
  path: '/domains',
  scope: 'domains:read',
  twin: 'listDomains',
  summary: 'List domains',
  success: { status: 200, description: 'The hosted domain and those of the project.', body: DomainList },
  run: ({ services, caller }) => services.domains.list(caller.projectId),
});
