import { QueuedEmail, SendEmail } from '../../../../contract/emails.ts';
import { encodeId } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED, readIdempotencyKey } from './idempotency-key.ts';
import { ObservedAccept } from './observed-accept.ts';
import { addressesIn, queuedEmail } from './queued-email.ts';

/** docs/contract.md, sendEmail. */
export const sendEmail = operation({
  method: 'POST',
  path: '/emails',
  scope: 'emails:send',
  twin: 'composeEmail',
  summary: 'Send an email',
  description:
    'Accepts an email and sends it later: 202 means queued. getEmail and webhook events tell what happens to it. Retry with the same Idempotency-Key.',
  body: SendEmail,
  headers: IDEMPOTENCY_KEY,
  success: {
    status: 202,
    description: 'Queued.',
    body: QueuedEmail,
    headers: IDEMPOTENT_REPLAYED,
  },
  errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, caller, body, examined, request, reply, logger }) {
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
});
