import { RenameOrganization } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const updateOrganization = dashboardOperation({
  method: 'PATCH',
  path: '/organizations/{organization}',
  role: 'owner',
  summary: 'Rename an organisation',
  body: RenameOrganization,
  success: { status: 204, description: 'It is renamed.' },
  run: ({ services, principal, body }) => services.organizations.rename(principal.organizationId, body.name),
});
