import { EmailContent } from '../../../../contract/dashboard/email.ts';
import { dashboardOperation } from '../operation.ts';
import { assertSeesBodies, EMAIL } from './email-resource.ts';

export const getEmailContent = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/{id}/content',
  role: 'viewer',
  resource: EMAIL,
  summary: 'Show what an email says, with its header, links and checks',
  description: 'Not to viewers who may not see bodies. `bad-request`: the bodies were deleted.',
  success: { status: 200, description: 'The content.', body: EmailContent },
  async run({ services, principal, projectId, id }) {
    assertSeesBodies(principal);
    return services.inspector.content(projectId, id);
  },
});
