import type { FastifyRequest } from 'fastify';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../../../contract/idempotency.ts';
import { validationError } from '../../../../model/app-error.ts';

/** Reads the header `Idempotency-Key`. @throws AppError validation-failed if it is repeated, or is not 1 to 200 printable characters */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  // Node.js joins repeated headers with ", ", but a single key may also contain ", ".
  const isRepeated = key.includes(', ') && request.raw.headersDistinct['idempotency-key']?.length !== 1;
  if (
    typeof key === 'string' &&
    !isRepeated &&
    key.length <= MAX_IDEMPOTENCY_KEY_LENGTH &&
    /^[\x20-\x7e]+$/.test(key)
  )
    return key;
  throw validationError({
    'Idempotency-Key': `must be one header of 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters`,
  });
}
