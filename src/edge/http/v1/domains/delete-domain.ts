import { operation } from '../../operation.ts';

/** docs/contract.md, deleteDomain. */
export const deleteDomain = operation({
  method: 'DELETE',
  path: '/domains/{id}',
  resource: 'domain',
  scope: 'domains:write',
  operationId: 'deleteDomain',
  summary: 'Remove a domain',
  description: 'Not the hosted domain, and not while there are mailboxes on it.',
  tag: 'domains',
  success: { status: 204, description: 'Removed.' },
  errors: ['hosted-domain-protected', 'domain-in-use'],
  run: ({ services, caller, id }) => services.domains.remove(caller.projectId, id),
});
