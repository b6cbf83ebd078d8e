/** Operations that accept emails. The API server implements them itself, because they read request headers. */
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED } from '../../contract/idempotency.ts';
import { QueuedBatch, QueuedEmail, SendBatch, SendEmail } from '../../contract/emails.ts';
import { declare } from '../../contract/operation.ts';

export const ACCEPT_OPERATIONS = {
  sendEmail: declare({
    summary: 'Send an email',
    description:
      'Accepts an email and sends it later: 202 means queued. Follow it with GET /v1/emails/{id} or webhook events. Retry with the same Idempotency-Key.',
    body: SendEmail,
    success: {
      status: 202,
      description: 'Queued.',
      body: QueuedEmail,
      headers: IDEMPOTENT_REPLAYED,
    },
    errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: {
      api: { route: 'POST /emails', scope: 'emails:send', headers: IDEMPOTENCY_KEY, twin: 'composeEmail' },
    },
  }),
  sendBatch: declare({
    summary: 'Send up to 100 emails',
    description:
      'Addition to contract 0.3.0. Accepts all of the emails or none: an error names the first invalid one. One Idempotency-Key applies to the whole batch.',
    body: SendBatch,
    success: { status: 202, description: 'Queued.', body: QueuedBatch, headers: IDEMPOTENT_REPLAYED },
    errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
    raw: true,
    doors: {
      api: {
        route: 'POST /emails/batch',
        scope: 'emails:send',
        headers: IDEMPOTENCY_KEY,
        twin: 'composeEmail',
      },
    },
  }),
};
