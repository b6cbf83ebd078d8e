import { CreatedOrganization, RenameOrganization } from '../../../../contract/dashboard/organizations.ts';
import { dashboardOperation } from '../operation.ts';

export const createOrganization = dashboardOperation({
  method: 'POST',
  path: '/organizations',
  role: 'operator',
  summary: 'Make an organisation',
  description: 'Whoever makes it is its first owner. It is apart from all others.',
  body: RenameOrganization,
  success: { status: 201, description: 'The organisation.', body: CreatedOrganization },
  run: ({ services, principal, body }) => services.organizations.create(principal.userId, body.name),
});
