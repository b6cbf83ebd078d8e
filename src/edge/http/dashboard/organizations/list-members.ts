import { isAtLeast } from '../../../../model/roles.ts';
import { MemberList } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

// Attack: whoever looks for an account to guess at finds those with a password alone.
const HIDDEN = { project_roles: [], has_second_factor: null, last_signed_in_at: null };

export const listMembers = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/users',
  role: 'viewer',
  summary: 'List who belongs to an organisation',
  description: 'What they are in single projects, and how they sign in, is for owners and admins.',
  success: { status: 200, description: 'Its people.', body: MemberList },
  async run({ services, principal: { organizationId, role } }) {
    const { data } = await services.organizations.members(organizationId);
    if (isAtLeast(role, 'admin')) return { data };
    // A project that is hidden from somebody is not named to them either.
    return { data: data.map((member) => ({ ...member, ...HIDDEN })) };
  },
});
