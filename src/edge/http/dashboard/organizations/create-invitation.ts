import { CreatedInvitation, CreateInvitation } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const createInvitation = dashboardOperation({
  method: 'POST',
  path: '/organizations/{organization}/invitations',
  role: 'admin',
  confirms: true,
  summary: 'Invite somebody',
  description: 'The link works once, within seven days. Only owners invite owners.',
  body: CreateInvitation,
  success: { status: 201, description: 'The invitation, with its link.', body: CreatedInvitation },
  errors: ['already-exists'],
  run({ services, principal, body }) {
    const { email, role, sees_bodies: seesBodies = false } = body;
    return services.organizations.invite(principal.organizationId, principal, { email, role, seesBodies });
  },
});
