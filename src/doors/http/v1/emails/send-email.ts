import { ACCEPT_OPERATIONS } from '../../../../sending/accept/operations.ts';
import { encodeId } from '../../../../model/ids.ts';
import { apiRun } from '../../operation.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { ObservedAccept } from './observed-accept.ts';
import { addressesIn, queuedEmail } from './queued-email.ts';

/** docs/contract.md, sendEmail. */
export const sendEmail = apiRun(
  ACCEPT_OPERATIONS.sendEmail,
  async ({ services, caller, body, examined, request, reply, logger }) => {
    const key = readIdempotencyKey(request);
    const observed = new ObservedAccept(logger, request, caller.projectId);
    try {
      const known = examined !== null && 'envelope' in examined ? examined : null;
      const { emailId, replayed } = await services.acceptEmail(
        caller,
        body,
        key,
        observed.traceParent,
        known,
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      observed.accepted(encodeId('em', emailId), replayed ? null : addressesIn(body));
      return queuedEmail(emailId);
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
);
