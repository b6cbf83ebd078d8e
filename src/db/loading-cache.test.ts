import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LoadingCache } from './loading-cache.ts';

/** A cache with a clock in hand, over a source that counts how often each key is asked for. */
function setUp({ maxEntries = 10 } = {}) {
  const clock = { nowMs: 0 };
  const asked: string[] = [];
  const cache = new LoadingCache<string>({
    ttlMs: 100,
    maxEntries,
    keeps: (value) => value !== 'gone',
    nowMs: () => clock.nowMs,
  });
  const get = (key: string, value = key) =>
    cache.get(key, async () => {
      asked.push(key);
      return value;
    });
  return { cache, clock, asked, get };
}

describe('a loading cache', () => {
  test('gives what it knows at once', async () => {
    const { asked, get } = setUp();
    await get('a');
    assert.equal(get('a'), 'a');
    assert.deepEqual(asked, ['a']);
  });

  test('tells who loads again what was true before, until it is gone', async () => {
    const { cache, clock } = setUp();
    const told: (string | undefined)[] = [];
    for (const value of ['a', 'b', 'gone', 'c']) {
      await cache.get('key', async (before) => {
        told.push(before);
        return value;
      });
      clock.nowMs += 100;
    }
    assert.deepEqual(told, [undefined, 'a', 'b', undefined]);
  });

  test('asks again when the time is up, and not a millisecond before', async () => {
    const { clock, asked, get } = setUp();
    await get('a');
    clock.nowMs = 99;
    assert.equal(get('a'), 'a');
    clock.nowMs = 100;
    await get('a');
    assert.deepEqual(asked, ['a', 'a']);
  });

  test('counts the time from the question, not from the answer', async () => {
    const { cache, clock } = setUp();
    const slow = Promise.withResolvers<string>();
    const first = cache.get('a', () => slow.promise);
    clock.nowMs = 100;
    slow.resolve('old');
    await first;
    assert.equal(await cache.get('a', async () => 'new'), 'new');
  });

  test('asks once for those who miss together', async () => {
    const { asked, get } = setUp();
    assert.deepEqual(await Promise.all([get('a'), get('a'), get('b')]), ['a', 'a', 'b']);
    assert.deepEqual(asked, ['a', 'b']);
  });

  test('does not keep what is not worth it', async () => {
    const { asked, get } = setUp();
    await get('a', 'gone');
    assert.equal(await get('a', 'back'), 'back');
    assert.deepEqual(asked, ['a', 'a']);
  });

  test('tells all who wait of an error, and asks again after it', async () => {
    const { cache, get } = setUp();
    const fail = () => cache.get('a', () => Promise.reject(new Error('away')));
    const waiting = [fail(), fail()];
    for (const one of waiting) await assert.rejects(async () => one, /away/);
    assert.equal(await get('a'), 'a');
  });

  test('lets go of what was not asked for the longest', async () => {
    const { asked, get } = setUp({ maxEntries: 2 });
    await get('a');
    await get('b');
    void get('a');
    await get('c');
    assert.equal(get('a'), 'a');
    assert.equal(get('c'), 'c');
    await get('b');
    assert.deepEqual(asked, ['a', 'b', 'c', 'b']);
  });
});
