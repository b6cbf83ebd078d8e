import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { QueuedEmail, SendEmail } from '../../../../contract/emails.ts';
import { validationError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';

const MAX_KEY_LENGTH = 200;

/** Contract row 1. */
export const sendEmail = operation({
  method: 'POST',
  path: '/emails',
  scope: 'emails:send',
  operationId: 'sendEmail',
  summary: 'Send an email',
  description:
    'Accepts an email and sends it later: 202 means queued. Read what becomes of it with getEmail or through webhook events. Retry with the same Idempotency-Key.',
  tag: 'emails',
  body: SendEmail,
  headers: {
    'Idempotency-Key': Type.String({
      minLength: 1,
      maxLength: MAX_KEY_LENGTH,
      pattern: '^[\\x20-\\x7E]+$',
      description:
        'Printable ASCII. Kept for 24 hours: the same key with the same body is answered with the first answer again, with another body it is refused.',
    }),
  },
  success: {
    status: 202,
    description: 'Queued.',
    body: QueuedEmail,
    headers: {
      'Idempotent-Replayed': Type.String({
        enum: ['true'],
        description: 'Present when the email was accepted before, under the same Idempotency-Key.',
      }),
    },
  },
  errors: ['domain-not-verified', 'idempotency-key-reused', 'plan-limit-exceeded', 'quota-exceeded'],
  async run({ services, caller, body, request, reply }) {
    const key = readIdempotencyKey(request);
    const { emailId, replayed } = await services.acceptEmail(caller, body, key);
    if (replayed) reply.header('idempotent-replayed', 'true');
    // A function of the id alone, so that a replay is the same byte for byte.
    return `{"id":"${encodeId('em', emailId)}","status":"queued","created_at":"${timeOf(emailId).toISOString()}"}`;
  },
});

/** @throws AppError validation-failed: not 1 to 200 printable characters, or more than one header */
function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  // Node joins headers of one name with ", ", which could also be part of a key.
  const isRepeated = key.includes(', ') && request.raw.headersDistinct['idempotency-key']?.length !== 1;
  if (typeof key === 'string' && !isRepeated && key.length <= MAX_KEY_LENGTH && /^[\x20-\x7e]+$/.test(key))
    return key;
  throw validationError({
    'Idempotency-Key': `must be one header of 1 to ${MAX_KEY_LENGTH} printable ASCII characters`,
  });
}
