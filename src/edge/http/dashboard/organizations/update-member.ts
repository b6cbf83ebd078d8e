import { Member, UpdateMember } from '../../../../contract/dashboard/organizations.ts';
import { decodeId, NIL_UUID } from '../../../../model/ids.ts';
import { dashboardOperation } from '../operation.ts';

export const updateMember = dashboardOperation({
  method: 'PATCH',
  path: '/organizations/{organization}/users/{id}',
  role: 'admin',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'Change what somebody may do',
  description: 'Only owners change owners, and an organisation keeps at least one.',
  body: UpdateMember,
  success: { status: 200, description: 'The user.', body: Member },
  run({ services, principal, id, body }) {
    const { role, sees_bodies: seesBodies, project_roles: given = [] } = body;
    const projectRoles = new Map(
      given.map((each) => [decodeId('prj', each.project_id) ?? NIL_UUID, each.role] as const),
    );
    return services.organizations.changeMember(principal.organizationId, id, principal.role, {
      ...(role !== undefined && { role }),
      ...(seesBodies !== undefined && { seesBodies }),
      projectRoles,
    });
  },
});
