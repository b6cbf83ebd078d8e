import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Semaphore } from './semaphore.ts';

describe('Semaphore', () => {
  test('limits the number of concurrent tasks, and runs all tasks in the end', async () => {
    const semaphore = new Semaphore(3);
    let running = 0;
    let most = 0;
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        semaphore.run(async () => {
          most = Math.max(most, ++running);
          await setImmediate();
          running--;
          return n;
        }),
      ),
    );
    assert.equal(most, 3);
    assert.deepEqual(
      results,
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  test('releases the slot of a failed task', async () => {
    const semaphore = new Semaphore(1);
    const failing = semaphore.run(() => Promise.reject(new Error('no')));
    const after = semaphore.run(async () => 'yes');
    await assert.rejects(failing, /no/);
    assert.equal(await after, 'yes');
  });

  test('runs weighted tasks in order, as many as the total weight allows', async () => {
    const semaphore = new Semaphore(10);
    const begun: number[] = [];
    const gates = new Map<number, () => void>();
    const start = (weight: number) =>
      semaphore.run(async () => {
        begun.push(weight);
        await new Promise<void>((resolve) => gates.set(weight, resolve));
      }, weight);
    const all = [6, 20, 3, 4].map(start);
    assert.deepEqual(begun, [6]);
    gates.get(6)?.();
    await all[0];
    // 20 is heavier than the maximum, so it runs alone, and later tasks do not overtake it.
    assert.deepEqual(begun, [6, 20]);
    gates.get(20)?.();
    await all[1];
    assert.deepEqual(begun, [6, 20, 3, 4]);
    for (const open of gates.values()) open();
    await Promise.all(all);
  });

  test('rejects callers while the queue is full, and accepts callers again afterwards', async () => {
    const semaphore = new Semaphore(1, { maxWaiting: 1, makeError: () => new Error('full') });
    const gate = Promise.withResolvers<string>();
    const running = semaphore.run(() => gate.promise);
    const waiting = semaphore.run(async () => 'second');
    await assert.rejects(
      semaphore.run(async () => 'third'),
      /full/,
    );
    gate.resolve('first');
    assert.deepEqual(await Promise.all([running, waiting]), ['first', 'second']);
    assert.equal(await semaphore.run(async () => 'fourth'), 'fourth');
  });
});
