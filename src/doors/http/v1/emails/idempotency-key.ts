import type { FastifyRequest } from 'fastify';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../../../contract/idempotency.ts';
import { validationError } from '../../../../model/app-error.ts';

/** Reads the header `Idempotency-Key`. @throws AppError validation-failed if the key is not 1 to 200 printable characters, or if there are several headers */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  // Node joins repeated headers with ", ", which can also be part of a key.
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
