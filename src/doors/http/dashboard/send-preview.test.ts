import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError, unavailable } from '../../../model/app-error.ts';
import { previewOrLater } from './send-preview.ts';

test('a preview that takes too long is replaced by a message for the frame, and other errors are thrown', async () => {
  assert.match(
    await previewOrLater(Promise.reject(unavailable('It took too long.'))),
    /<p .*Reload the page/,
  );
  await assert.rejects(previewOrLater(Promise.reject(new AppError('not-found', 'Gone.'))), {
    code: 'not-found',
  });
  assert.equal(await previewOrLater(Promise.resolve(null)), null);
});
