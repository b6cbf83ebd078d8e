import { InvitationList } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const listInvitations = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/invitations',
  role: 'admin',
  summary: 'List invitations that nobody has accepted',
  success: { status: 200, description: 'The invitations, without their links.', body: InvitationList },
  run: ({ services, principal }) => services.organizations.invitations(principal.organizationId),
});
