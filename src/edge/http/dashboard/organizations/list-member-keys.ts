import { MemberKeyList } from '../../../../contract/dashboard/api-keys.ts';
import { dashboardOperation } from '../operation.ts';

export const listMemberKeys = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/users/{id}/api-keys',
  role: 'admin',
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'List the API keys that a member made',
  description: 'In all projects of the organisation. `removeMember` can revoke them.',
  success: { status: 200, description: 'The keys.', body: MemberKeyList },
  run: ({ services, principal, id }) => services.organizations.memberKeys(principal.organizationId, id),
});
