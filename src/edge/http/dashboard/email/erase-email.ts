import { dashboardOperation } from '../operation.ts';
import { EMAIL } from './email-resource.ts';

export const eraseEmail = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/emails/{id}',
  role: 'admin',
  confirms: true,
  resource: EMAIL,
  summary: 'Erase an email with all that is known of it',
  description: 'What waits of it is not sent. See docs/operate/retention.md, Erasing.',
  success: { status: 204, description: 'Erased.' },
  async run({ services, projectId, id }) {
    await services.email.erase(projectId, id);
  },
});
