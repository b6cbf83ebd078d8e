import assert from 'node:assert/strict';
import { PosthornError } from './errors.ts';

/** The error with which a call is rejected. */
export async function failureOf(promise: Promise<unknown>): Promise<PosthornError> {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof PosthornError);
  return error;
}
