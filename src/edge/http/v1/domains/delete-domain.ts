import { operation } from '../../operation.ts';

/** docs/contract.md, deleteDomain. */
export const deleteDomain = operation({
  method: 'DELETE',
  path: '/domains/{id}',
  scope: 'domains:write',
  twin: 'removeDomain',
  summary: 'Remove a domain',
  description: 'The hosted domain cannot be removed, nor can a domain that still has mailboxes.',
  success: { status: 204, description: 'Removed.' },
  errors: ['hosted-domain-protected', 'domain-in-use'],
  run: ({ services, caller, id }) => services.domains.remove(caller.projectId, id),
});
