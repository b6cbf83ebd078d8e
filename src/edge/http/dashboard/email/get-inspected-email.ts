import { InspectedEmail } from '../../../../contract/dashboard/email.ts';
import { dashboardOperation } from '../operation.ts';
import { EMAIL } from './email-resource.ts';

export const getInspectedEmail = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/{id}',
  role: 'viewer',
  resource: EMAIL,
  summary: 'Show an email with its timeline, its dialogues and what webhooks were told',
  success: { status: 200, description: 'The email, without what it says.', body: InspectedEmail },
  run: ({ services, principal, projectId, id }) =>
    services.inspector.describe(projectId, id, principal.seesBodies),
});
