import { DeleteByName } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const deleteOrganization = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}',
  role: 'owner',
  confirms: true,
  summary: 'Delete an organisation with all its projects',
  description: 'People who belong to no other organisation are deleted too. Its audit log goes with it.',
  body: DeleteByName,
  success: { status: 204, description: 'It is deleted.' },
  run: ({ services, principal, body }) => services.organizations.delete(principal.organizationId, body.name),
});
