import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { AppError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { dashboardRun } from '../operation.ts';

const PATH = '/projects/{project}/emails/{id}/send-again';

export const sendEmailAgain = dashboardRun(
  INSPECT_OPERATIONS.sendEmailAgain,
  async ({ services, projectId, id, body, request, logger }) => {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const sent = await services.sendAgain(projectId, id, body.key, observed.traceParent);
      if (sent === null) throw new AppError('not-found', 'There is no such email.');
      const newId = encodeId('em', sent.emailId);
      observed.accepted(newId, sent.replayed ? null : sent.addresses);
      return { id: newId, created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
);
