import { ProjectContents } from '../../../../contract/dashboard/projects.ts';
import { dashboardOperation } from '../operation.ts';

export const getOrganizationContents = dashboardOperation({
  method: 'GET',
  path: '/organizations/{organization}/contents',
  role: 'owner',
  confirms: true,
  summary: 'Count what all projects of an organisation have, before it is deleted or exported',
  success: { status: 200, description: 'The numbers.', body: ProjectContents },
  run: ({ services, principal }) => services.organizations.contents(principal.organizationId),
});
