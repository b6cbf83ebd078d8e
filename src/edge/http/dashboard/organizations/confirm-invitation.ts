import { dashboardOperation } from '../operation.ts';

export const confirmInvitation = dashboardOperation({
  method: 'POST',
  path: '/organizations/{organization}/invitations/{id}/confirmation',
  role: 'owner',
  confirms: true,
  resource: { name: 'invitation that awaits confirmation', prefix: 'inv' },
  summary: 'Confirm an invitation',
  description:
    'For an invitation to an address whose mailbox on this server others can read. Operators confirm it with `user invitations confirm`.',
  success: { status: 204, description: 'Its link works from now on.' },
  run: ({ services, principal, id }) =>
    services.organizations.confirmInvitation(principal.organizationId, id),
});
