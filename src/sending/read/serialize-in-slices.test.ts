import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serializeInSlices } from './serialize-in-slices.ts';

const LONG = 300_000;

test('an object is serialized in slices to the same JSON as at once', async () => {
  for (const html of [
    '',
    'x'.repeat(LONG),
    '"\\\n\u0000é'.repeat(LONG),
    `x${'😀'.repeat(LONG)}`,
    '\ud83d'.repeat(LONG),
  ]) {
    const value = {
      id: 'em_1',
      html,
      to: ['a"b'],
      headers: { 'X-1': 'é' },
      stream: null,
      text: html,
      count: 1,
    };
    assert.equal((await serializeInSlices(value)).toString(), JSON.stringify(value));
  }
});

for (const value of [{}, { bcc: undefined }, { bcc: undefined, count: 1 }])
  test(`members without a value are left out of an object with ${Object.keys(value).length} members`, async () => {
    assert.equal((await serializeInSlices(value)).toString(), JSON.stringify(value));
  });

test('other work runs between the slices of a long string', async () => {
  let ticks = 0;
  const count = (): void => {
    ticks++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await serializeInSlices({ html: 'x'.repeat(LONG) });
  clearImmediate(next);
  assert.ok(ticks >= 2);
});
