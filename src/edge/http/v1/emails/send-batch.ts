import { QueuedBatch, SendBatch } from '../../../../contract/emails.ts';
import { encodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, readIdempotencyKey } from './idempotency-key.ts';
import { ObservedAccept } from './observed-accept.ts';
import { addressesIn, queuedEmail } from './queued-email.ts';

/** docs/contract.md, sendBatch. */
export const sendBatch = operation({
  method: 'POST',
  path: '/emails/batch',
  scope: 'emails:send',
  twin: 'composeEmail',
  summary: 'Send up to 100 emails',
  description:
    'Addition to the contract. Accepts all of the emails, or none: an error names the first that is wrong. One Idempotency-Key counts for the whole batch.',
  body: SendBatch,
  headers: IDEMPOTENCY_KEY,
  success: { status: 202, description: 'Queued.', body: QueuedBatch, headers: IDEMPOTENT_REPLAYED },
  errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, caller, body, examined, request, reply, logger }) {
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
});
