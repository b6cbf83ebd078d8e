import { MemberResetLink } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const makeMemberResetLink = dashboardOperation({
  method: 'POST',
  path: '/organizations/{organization}/users/{id}/reset-link',
  role: 'owner',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'Make a link with which a member sets another password',
  description:
    'It works once, within 24 hours, and replaces the link before. A second factor is asked for all the same. For a user who belongs to another organisation too, or runs this installation, only an operator makes one.',
  success: { status: 201, description: 'The link, to hand over.', body: MemberResetLink },
  run: ({ services, principal, id }) => services.organizations.makeMemberResetLink(principal, id),
});
