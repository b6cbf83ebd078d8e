import { CreatedInvitation, CreateInvitation } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const createInvitation = dashboardOperation({
  method: 'POST',
  path: '/organizations/{organization}/invitations',
  role: 'admin',
  confirms: true,
  summary: 'Invite somebody',
  description:
    'The link works once, within seven days. Only owners invite owners. An address whose mailbox is on this server gets no email: hand over the link. If people with a lower role or of another organisation can read that mailbox, an owner or an operator has to confirm the invitation.',
  body: CreateInvitation,
  success: { status: 201, description: 'The invitation, with its link.', body: CreatedInvitation },
  errors: ['already-exists'],
  run({ services, principal, body }) {
    const { email, role, sees_bodies: seesBodies = false } = body;
    return services.organizations.invite(principal.organizationId, principal, { email, role, seesBodies });
  },
});
