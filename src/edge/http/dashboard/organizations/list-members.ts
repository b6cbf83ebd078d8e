import { isAtLeast } from '../../../../model/roles.ts';
import { MemberList } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const listMembers = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/users',
  role: 'viewer',
  summary: 'List who belongs to an organisation',
  description: 'What they are in single projects is for owners and admins.',
  success: { status: 200, description: 'Its people.', body: MemberList },
  async run({ services, principal: { organizationId, role } }) {
    const { data } = await services.organizations.members(organizationId);
    if (isAtLeast(role, 'admin')) return { data };
    // A project that is hidden from somebody is not named to them either.
    return { data: data.map((member) => ({ ...member, project_roles: [] })) };
  },
});
