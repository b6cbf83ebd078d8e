/** The headers of operations that accept emails. */
import { Type } from 'typebox';

export const MAX_IDEMPOTENCY_KEY_LENGTH = 200;

/** The request header, for the OpenAPI document only. Operations check the header themselves. */
export const IDEMPOTENCY_KEY = {
  'Idempotency-Key': Type.String({
    minLength: 1,
    maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
    pattern: '^[\\x20-\\x7E]+$',
    description:
      'Printable ASCII, remembered for 24 hours. The same key with the same body returns the first response again; with a different body it is rejected.',
    examples: ['order-4711-shipped'],
  }),
};

/** The response header. */
export const IDEMPOTENT_REPLAYED = {
  'Idempotent-Replayed': Type.String({
    enum: ['true'],
    description: 'Present if the request was already accepted under the same Idempotency-Key.',
  }),
};
