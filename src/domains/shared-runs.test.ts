import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { SharedRuns } from './shared-runs.ts';

/** Shared runs that end when the test resolves their promises. */
function setUp() {
  const shared = new SharedRuns<number>();
  const runs: PromiseWithResolvers<number>[] = [];
  const run = (key = 'a') =>
    shared.run(key, () => {
      const started = Promise.withResolvers<number>();
      runs.push(started);
      return started.promise;
    });
  return { runs, run };
}

describe('shared runs', () => {
  test('start immediately if no run for the same key is in progress', () => {
    const { runs, run } = setUp();
    void run('a');
    void run('b');
    assert.equal(runs.length, 2);
  });

  test('are shared by all calls that are made during an earlier run, and start when the earlier run ends', async () => {
    const { runs, run } = setUp();
    const first = run();
    const others = [run(), run(), run()];
    await setImmediate();
    assert.equal(runs.length, 1);
    runs[0]?.resolve(1);
    assert.equal(await first, 1);
    others.push(run());
    await setImmediate();
    assert.equal(runs.length, 2);
    runs[1]?.resolve(2);
    assert.deepEqual(await Promise.all(others), [2, 2, 2, 2]);
  });

  test('start again after a failed run', async () => {
    const { runs, run } = setUp();
    const first = run();
    const second = run();
    runs[0]?.reject(new Error('no'));
    await assert.rejects(first, /no/);
    await setImmediate();
    runs[1]?.resolve(2);
    assert.equal(await second, 2);
    await setImmediate();
    void run();
    assert.equal(runs.length, 3);
  });
});
