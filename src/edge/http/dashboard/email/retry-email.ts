import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';
import { EMAIL } from './email-resource.ts';

export const retryEmail = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/emails/{id}/retry',
  role: 'developer',
  resource: EMAIL,
  summary: 'Try an email again that failed with reason internal',
  description: '400 when no recipient of it did, or its body was deleted.',
  success: { status: 204, description: 'It is on the queue again.' },
  async run({ services, projectId, id }) {
    if ((await services.email.retry(projectId, id)) === 0)
      throw new AppError('bad-request', 'No recipient of this email failed with reason internal.');
  },
});
