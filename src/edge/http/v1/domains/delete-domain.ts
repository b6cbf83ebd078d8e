import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';
import { noSuchDomain } from './no-such-domain.ts';

/** Contract row 7. */
export const deleteDomain = operation({
  method: 'DELETE',
  path: '/domains/{id}',
  scope: 'domains:write',
  operationId: 'deleteDomain',
  summary: 'Remove a domain',
  description: 'Not the hosted domain, and not while there are mailboxes on it.',
  tag: 'domains',
  success: { status: 204, description: 'Removed.' },
  errors: ['hosted-domain-protected', 'domain-in-use', 'not-found'],
  async run({ services, caller, id }) {
    const domainId = decodeId('dom', id);
    if (domainId === null || !(await services.domains.remove(caller.projectId, domainId)))
      throw noSuchDomain();
  },
});
