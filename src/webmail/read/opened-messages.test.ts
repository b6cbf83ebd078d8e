import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenedMessages } from './opened-messages.ts';

test('a message that is removed from the cache while it is being read uses no space in the cache', async () => {
  const opened = new OpenedMessages<number>(() => 10_000_000);
  const slow = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const reads = slow.map(({ promise }, n) => opened.of(`slow ${n}`, () => promise));
  for (let n = 0; n < 5; n++) opened.forget(`slow ${n}`);
  for (const each of slow) each.resolve(1);
  await Promise.all(reads);
  await opened.of('kept', async () => 1);
  assert.equal(await opened.of('kept', async () => 2), 1);
});

test('a failed read does not remove a newer entry with the same key', async () => {
  const opened = new OpenedMessages<number>(() => 1);
  const slow = Promise.withResolvers<number>();
  const failed = opened.of('one', () => slow.promise);
  opened.forget('one');
  await opened.of('one', async () => 1);
  slow.reject(new Error('broken'));
  await assert.rejects(failed);
  assert.equal(await opened.of('one', async () => 2), 1);
});
