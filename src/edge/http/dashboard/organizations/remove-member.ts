import { RemoveMember } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const removeMember = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}/users/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'Remove somebody',
  description:
    'Who belongs to no other organisation is deleted. Only owners remove owners, and the last one stays. API keys that they made go on working unless they are revoked too.',
  query: RemoveMember,
  success: { status: 204, description: 'They open nothing of it within two seconds.' },
  run: ({ services, principal, id, query }) =>
    services.organizations.removeMember(principal.organizationId, id, principal.role, query.keys),
});
