import { dashboardOperation } from '../operation.ts';
import { EMAIL } from './email-resource.ts';

export const sendEmailNow = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/emails/{id}/send-now',
  role: 'developer',
  resource: EMAIL,
  summary: 'Send an email now that waits for its time',
  description: '400 when it waits for no time.',
  success: { status: 204, description: 'It is due.' },
  run: ({ services, projectId, id }) => services.email.sendNow(projectId, id),
});
