import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { validationError } from '../../../../model/app-error.ts';

const MAX_KEY_LENGTH = 200;

/** What operations that accept emails say of the header in the document. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': Type.String({
    minLength: 1,
    maxLength: MAX_KEY_LENGTH,
    pattern: '^[\\x20-\\x7E]+$',
    description:
      'Printable ASCII, kept for 24 hours. The same key with the same body gets the first answer again; with another body it is refused.',
  }),
};

/** The header of their answers. */
export const IDEMPOTENT_REPLAYED = {
  'Idempotent-Replayed': Type.String({
    enum: ['true'],
    description: 'Present when this was accepted before, under the same Idempotency-Key.',
  }),
};

/** @throws AppError validation-failed: not 1 to 200 printable characters, or more than one header */
export function readIdempotencyKey(request: FastifyRequest): string | null {
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
