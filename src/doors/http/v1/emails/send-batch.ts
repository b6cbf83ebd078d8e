import { ACCEPT_OPERATIONS } from '../../../../sending/accept/operations.ts';
import { encodeId } from '../../../../model/ids.ts';
import { apiRun } from '../../operation.ts';
import { readIdempotencyKey } from './idempotency-key.ts';
import { ObservedAccept } from './observed-accept.ts';
import { addressesIn, queuedEmail } from './queued-email.ts';

/** docs/contract.md, sendBatch. */
export const sendBatch = apiRun(
  ACCEPT_OPERATIONS.sendBatch,
  async ({ services, caller, body, examined, request, reply, logger }) => {
    const key = readIdempotencyKey(request);
    const observed = new ObservedAccept(logger, request, caller.projectId, '/v1/emails/batch');
    try {
      const known = examined !== null && 'envelopes' in examined ? examined : null;
      const { emailIds, replayed } = await services.acceptBatch(
        caller,
        body,
        key,
        observed.traceParent,
        known,
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      observed.acceptedAll(
        body.emails.map((email, at) => ({
          emailId: encodeId('em', emailIds[at] as string),
          recipients: addressesIn(email),
        })),
        replayed,
      );
      return `{"data":[${emailIds.map(queuedEmail).join(',')}]}`;
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
);
