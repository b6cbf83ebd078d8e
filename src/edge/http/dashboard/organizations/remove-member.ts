import { dashboardOperation } from '../operation.ts';

export const removeMember = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}/users/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'Remove somebody',
  description:
    'Who belongs to no other organisation is deleted. Only owners remove owners, and the last one stays.',
  success: { status: 204, description: 'They open nothing of it within two seconds.' },
  run: ({ services, principal, id }) =>
    services.organizations.removeMember(principal.organizationId, id, principal.role),
});
