import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LoadingCache } from './loading-cache.ts';

/** A cache with a manual clock, over a source that records the loaded keys. */
function setUp({ maxEntries = 10 } = {}) {
  const clock = { nowMs: 0 };
  const loaded: string[] = [];
  const cache = new LoadingCache<string>({
    ttlMs: 100,
    maxEntries,
    mayCache: (value) => value !== 'gone',
    nowMs: () => clock.nowMs,
  });
  const get = (key: string, value = key) =>
    cache.get(key, async () => {
      loaded.push(key);
      return value;
    });
  return { cache, clock, loaded, get };
}

describe('a loading cache', () => {
  test('a cached value is returned synchronously', async () => {
    const { loaded, get } = setUp();
    await get('a');
    assert.equal(get('a'), 'a');
    assert.deepEqual(loaded, ['a']);
  });

  test('a load receives the previous value', async () => {
    const { cache, clock } = setUp();
    const received: (string | undefined)[] = [];
    for (const value of ['a', 'b', 'gone', 'c']) {
      await cache.get('key', async (before) => {
        received.push(before);
        return value;
      });
      clock.nowMs += 100;
    }
    assert.deepEqual(received, [undefined, 'a', 'b', undefined]);
  });

  test('a value is loaded again when it is stale, and not a millisecond earlier', async () => {
    const { clock, loaded, get } = setUp();
    await get('a');
    clock.nowMs = 99;
    assert.equal(get('a'), 'a');
    clock.nowMs = 100;
    await get('a');
    assert.deepEqual(loaded, ['a', 'a']);
  });

  test('the age of a value counts from the start of its load', async () => {
    const { cache, clock } = setUp();
    const slow = Promise.withResolvers<string>();
    const first = cache.get('a', () => slow.promise);
    clock.nowMs = 100;
    slow.resolve('old');
    await first;
    assert.equal(await cache.get('a', async () => 'new'), 'new');
  });

  test('concurrent callers share one load', async () => {
    const { loaded, get } = setUp();
    assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), ['a', 'a', 'b']);
    assert.deepEqual(loaded, ['a', 'b']);
  });

  test('a value that `mayCache` rejects is not cached', async () => {
    const { loaded, get } = setUp();
    await get('a', 'gone');
    assert.equal(await get('a', 'back'), 'back');
    assert.deepEqual(loaded, ['a', 'a']);
  });

  test('a failed load rejects all waiting callers, and the next call loads again', async () => {
    const { cache, get } = setUp();
    const fail = () => cache.get('a', () => Promise.reject(new Error('away')));
    const waiting = [fail(), fail()];
    for (const one of waiting) await assert.rejects(async () => one, /away/);
    assert.equal(await get('a'), 'a');
  });

  test('the least recently used entry is dropped when the cache is full', async () => {
    const { loaded, get } = setUp({ maxEntries: 2 });
    await get('a');
    await get('b');
    void get('a');
    await get('c');
    assert.equal(get('a'), 'a');
    assert.equal(get('c'), 'c');
    await get('b');
    assert.deepEqual(loaded, ['a', 'b', 'c', 'b']);
  });
});
