import { Domain } from '../../../../contract/domains.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';
import { noSuchDomain } from './no-such-domain.ts';

/** Contract row 8. */
export const verifyDomain = operation({
  method: 'POST',
  path: '/domains/{id}/verify',
  scope: 'domains:write',
  operationId: 'verifyDomain',
  summary: 'Look at the DNS records of a domain again',
  description: 'Looks now and answers what it found: the flags, and each record with what DNS has.',
  tag: 'domains',
  success: { status: 200, description: 'The domain after the look.', body: Domain },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const domainId = decodeId('dom', id);
    const domain = domainId === null ? null : await services.domains.verify(caller.projectId, domainId);
    if (domain === null) throw noSuchDomain();
    return domain;
  },
});
