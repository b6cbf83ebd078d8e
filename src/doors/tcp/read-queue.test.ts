import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadQueue } from './read-queue.ts';

test('connections are admitted in order, and unused time counts towards the next batch', () => {
  const scheduled: (() => void)[] = [];
  const seen: { sinceMs: number; admitted: number }[] = [];
  const hourMs = 3_600_000;
  const queue = new ReadQueue({
    schedule: (callback) => scheduled.push(callback),
    batchSize: () => 2,
    unusedMs: (sinceMs, admitted) => {
      seen.push({ sinceMs, admitted });
      return hourMs;
    },
  });
  const order: string[] = [];
  for (const name of ['a', 'b', 'c']) queue.join(() => order.push(name));
  // Each batch schedules the next one while connections wait.
  for (const callback of scheduled) callback();
  assert.deepEqual(order, ['a', 'b', 'c']);
  assert.deepEqual(
    seen.map(({ admitted }) => admitted),
    [2, 1],
  );
  assert.ok((seen[1]?.sinceMs ?? 0) >= hourMs);
});
