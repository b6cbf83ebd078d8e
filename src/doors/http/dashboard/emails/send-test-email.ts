import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { dashboardRun } from '../operation.ts';

const PATH = '/projects/{project}/test-email';

export const sendTestEmail = dashboardRun(
  INSPECT_OPERATIONS.sendTestEmail,
  async ({ services, projectId, principal, body, request, logger }) => {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const sent = await services.sendTest(projectId, principal.email, body.key, observed.traceParent);
      if (sent === null) throw new AppError('not-found', 'There is no such project.');
      const id = encodeId('em', sent.emailId);
      observed.accepted(id, sent.replayed ? null : 1);
      return { id, created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
);
