import assert from 'node:assert/strict';
import { PosthornError } from './errors.ts';

/** Resolves to the error with which a call rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<PosthornError> {
  const error = await promise.then(
    () => assert.fail('The call did not fail'),
    (error: unknown) => error,
  );
  assert.ok(error instanceof PosthornError);
  return error;
}
