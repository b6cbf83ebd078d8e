import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OpenedMessages } from './opened-messages.ts';

test('what is forgotten while it is read takes no room of what is read later', async () => {
  const opened = new OpenedMessages<number>(() => 10_000_000);
  const slow = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const asked = slow.map(({ promise }, n) => opened.of(`slow ${n}`, () => promise));
  for (let n = 0; n < 5; n++) opened.forget(`slow ${n}`);
  for (const each of slow) each.resolve(1);
  await Promise.all(asked);
  await opened.of('kept', async () => 1);
  assert.equal(await opened.of('kept', async () => 2), 1);
});

test('a reading that fails does not take away what was read after it was forgotten', async () => {
  const opened = new OpenedMessages<number>(() => 1);
  const slow = Promise.withResolvers<number>();
  const failed = opened.of('one', () => slow.promise);
  opened.forget('one');
  await opened.of('one', async () => 1);
  slow.reject(new Error('broken'));
  await assert.rejects(failed);
  assert.equal(await opened.of('one', async () => 2), 1);
});
