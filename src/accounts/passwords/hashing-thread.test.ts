import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword } from './password.ts';
import { HashingThread } from './hashing-thread.ts';

test('passwords are compared one after the other, and each comparison has its own result', async () => {
  await using thread = new HashingThread();
  const phc = await hashPassword('correct horse battery');
  const results = await Promise.all([
    thread.verify('correct horse battery', phc),
    thread.verify('wrong horse battery', phc),
    thread.verify('correct horse battery', null),
    thread.verify('correct horse battery', phc),
  ]);
  assert.deepEqual(results, [true, false, false, true]);
});

test('a comparison with an invalid stored hash fails, and the next comparison works', async () => {
  await using thread = new HashingThread();
  await assert.rejects(thread.verify('a password', 'plain'), TypeError);
  assert.equal(await thread.verify('a password', null), false);
});

test('a comparison that is waiting when the thread ends is rejected, and the next comparison starts another thread', async () => {
  await using thread = new HashingThread();
  const waiting = thread.verify('a password', null);
  const rejected = assert.rejects(waiting, /has ended/);
  await thread[Symbol.asyncDispose]();
  await rejected;
  assert.equal(await thread.verify('a password', null), false);
});
