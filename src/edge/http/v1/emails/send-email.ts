import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { QueuedEmail, SendEmail } from '../../../../contract/emails.ts';
import { validationError } from '../../../../model/app-error.ts';
import { encodeId, timeOf } from '../../../../model/ids.ts';
import { operation } from '../../operation.ts';
import { ObservedAccept } from './observed-accept.ts';

const MAX_KEY_LENGTH = 200;

/** docs/contract.md, sendEmail. */
export const sendEmail = operation({
  method: 'POST',
  path: '/emails',
  scope: 'emails:send',
  summary: 'Send an email',
  description:
    'Accepts an email and sends it later: 202 means queued. getEmail and webhook events tell what happens to it. Retry with the same Idempotency-Key.',
  body: SendEmail,
  headers: {
    'Idempotency-Key': Type.String({
      minLength: 1,
      maxLength: MAX_KEY_LENGTH,
      pattern: '^[\\x20-\\x7E]+$',
      description:
        'Printable ASCII, kept for 24 hours. The same key with the same body gets the first answer again; with another body it is refused.',
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
  async run({ services, caller, body, examined, request, reply, logger }) {
    const key = readIdempotencyKey(request);
    const observed = new ObservedAccept(logger, request, caller.projectId);
    try {
      const { traceParent } = observed;
      const { emailId, replayed } = await services.acceptEmail(caller, body, key, traceParent, examined);
      if (replayed) reply.header('idempotent-replayed', 'true');
      const id = encodeId('em', emailId);
      observed.accepted(id, replayed ? null : addressesIn(body));
      // Made from the id alone, so that a replay is the same byte for byte.
      return `{"id":"${id}","status":"queued","created_at":"${timeOf(emailId).toISOString()}"}`;
    } catch (error) {
      observed.failed(error);
      throw error;
    }
  },
});

function addressesIn({ to, cc = [], bcc = [] }: SendEmail): number {
  return to.length + cc.length + bcc.length;
}

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
