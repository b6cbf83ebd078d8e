import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEmail } from '../../../test/support/emails.ts';
import { CommitLanes } from './commit-lanes.ts';
import type { NewEmail } from './insert-emails.ts';

/** Commit lanes in which batches with a large email wait until `release` is called. */
function blockedLanes() {
  const gate = Promise.withResolvers<void>();
  const batches: NewEmail[][] = [];
  const lanes = new CommitLanes(async (batch) => {
    batches.push(batch);
    if (batch.some(({ html }) => (html?.length ?? 0) > 100_000)) await gate.promise;
    return batch.map(() => true);
  });
  return { lanes, batches, release: gate.resolve };
}

test('a small email does not wait for large emails, and large emails are committed one at a time', async () => {
  const { lanes, batches, release } = blockedLanes();
  const large = [1, 2, 3, 4].map(() => lanes.add(newEmail({ html: 'x'.repeat(2_000_000) })));
  assert.equal(await lanes.add(newEmail()), true);
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [1, 1],
  );
  release();
  assert.deepEqual(await Promise.all(large), [true, true, true, true]);
  assert.equal(batches.length, 5);
});

test('headers and addresses count towards the size that makes an email large', async () => {
  const { lanes, batches, release } = blockedLanes();
  const blocking = lanes.add(newEmail({ html: 'x'.repeat(200_000) }));
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`X-${n}`, 'v'.repeat(8_192)]));
  const behind = [
    lanes.add(newEmail({ headers })),
    lanes.add(newEmail({ cc: Array.from({ length: 1_000 }, () => 'c'.repeat(900)) })),
  ];
  await lanes.add(newEmail());
  assert.equal(batches.length, 2);
  release();
  await Promise.all([blocking, ...behind]);
});
