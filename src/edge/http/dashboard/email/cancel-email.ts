import { dashboardOperation } from '../operation.ts';
import { EMAIL } from './email-resource.ts';

export const cancelEmail = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/emails/{id}/cancel',
  role: 'developer',
  resource: EMAIL,
  summary: 'Take back what of an email is not sent yet',
  description:
    'Each recipient that was not begun is failed with reason cancelled. 400 when nothing can be cancelled, and why.',
  success: { status: 204, description: 'Cancelled.' },
  run: ({ services, projectId, id }) => services.email.cancel(projectId, id),
});
