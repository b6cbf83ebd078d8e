import { INSPECT_OPERATIONS } from '../../../../insights/operations.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { ObservedAccept } from '../../v1/emails/observed-accept.ts';
import { addressesIn } from '../../v1/emails/queued-email.ts';
import { dashboardRun } from '../operation.ts';

const PATH = '/projects/{project}/emails';

export const composeEmail = dashboardRun(
  INSPECT_OPERATIONS.composeEmail,
  async ({ services, projectId, body: { key, ...email }, request, logger }) => {
    const observed = new ObservedAccept(logger, request, projectId, PATH);
    try {
      const sent = await services.sendComposed(projectId, email, key, observed.traceParent);
      const id = encodeId('em', sent.emailId);
      observed.accepted(id, sent.replayed ? null : addressesIn(email));
      return { id, created_at: timeOf(sent.emailId).toISOString() };
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
);
