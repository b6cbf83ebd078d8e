import { dashboardOperation } from '../operation.ts';

export const withdrawInvitation = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}/invitations/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'invitation', prefix: 'inv' },
  summary: 'Withdraw an invitation',
  success: { status: 204, description: 'Its link does not work any more.' },
  run: ({ services, principal, id }) =>
    services.organizations.withdrawInvitation(principal.organizationId, id),
});
