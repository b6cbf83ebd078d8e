import { Domain } from '../../../../contract/domains.ts';
import { decodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';
import { noSuchDomain } from './no-such-domain.ts';

/** Contract row 6. */
export const getDomain = operation({
  method: 'GET',
  path: '/domains/{id}',
  scope: 'domains:read',
  operationId: 'getDomain',
  summary: 'Fetch a domain with its DNS records',
  tag: 'domains',
  success: { status: 200, description: 'The domain, as of the last look at DNS.', body: Domain },
  errors: ['not-found'],
  async run({ services, caller, id }) {
    const domainId = decodeId('dom', id);
    const domain = domainId === null ? null : await services.domains.get(caller.projectId, domainId);
    if (domain === null) throw noSuchDomain();
    return domain;
  },
});
