import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TokenBuckets } from './rate-limit.ts';

function bucketsAt(perSecond: number, capacity: number) {
  const clock = { ms: 0 };
  return { clock, buckets: new TokenBuckets(perSecond, capacity, () => clock.ms) };
}

test('a burst is exactly the capacity, then one token is refilled per interval', () => {
  const { clock, buckets } = bucketsAt(100, 1_000);
  for (let left = 999; left >= 0; left--) {
    const result = buckets.take('key');
    assert.deepEqual([result.allowed, result.remaining], [true, left]);
  }
  assert.deepEqual(buckets.take('key'), {
    allowed: false,
    remaining: 0,
    resetSeconds: 10,
    retryAfterSeconds: 1,
  });
  clock.ms = 9.9;
  assert.equal(buckets.take('key').allowed, false);
  clock.ms = 10;
  assert.equal(buckets.take('key').allowed, true);
  assert.equal(buckets.take('key').allowed, false);
});

test('several tokens are taken completely or not at all', () => {
  const { buckets } = bucketsAt(1, 10);
  assert.deepEqual([buckets.take('key', 7).allowed, buckets.take('key', 4).allowed], [true, false]);
  assert.equal(buckets.take('key', 3).remaining, 0);
  assert.equal(buckets.take('other', 11).allowed, false);
});

test('Retry-After is the time until a token is available', () => {
  const { clock, buckets } = bucketsAt(0.2, 2);
  buckets.take('key');
  buckets.take('key');
  const { retryAfterSeconds } = buckets.take('key');
  assert.equal(retryAfterSeconds, 5);
  clock.ms = 4_999;
  assert.equal(buckets.take('key').allowed, false);
  clock.ms = retryAfterSeconds * 1_000;
  assert.equal(buckets.take('key').allowed, true);
});

test('each key has its own tokens', () => {
  const { buckets } = bucketsAt(1, 1);
  assert.equal(buckets.take('one').allowed, true);
  assert.equal(buckets.take('one').allowed, false);
  assert.equal(buckets.take('two').allowed, true);
});

test('every rate allows its whole burst at once despite rounding', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 10_000, noNaN: true }),
      fc.integer({ min: 1, max: 300 }),
      (rate, capacity) => {
        const { buckets } = bucketsAt(rate, capacity);
        for (let n = 0; n < capacity; n++) assert.equal(buckets.take('key').allowed, true);
        assert.equal(buckets.take('key').allowed, false);
      },
    ),
  );
});

test('requests with any pauses get at most the burst plus the refilled tokens', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 }), (gapsMs) => {
      const { clock, buckets } = bucketsAt(3, 5);
      let allowed = 0;
      for (const gapMs of gapsMs) {
        clock.ms += gapMs;
        if (buckets.take('key').allowed) allowed += 1;
      }
      assert.ok(allowed <= 5 + (clock.ms / 1_000) * 3 + 1e-6);
    }),
  );
});

test('full buckets are removed from memory', () => {
  const { clock, buckets } = bucketsAt(1, 1);
  for (let n = 0; n < 1_024; n++) buckets.take(`early ${n}`);
  clock.ms = 1_000;
  buckets.take('late');
  assert.equal(buckets.size, 1);
});

test('the number of buckets in memory is limited even if no bucket is ever full again', () => {
  const { buckets } = bucketsAt(0.001, 10);
  for (let n = 0; n < 200_000; n++) buckets.take(`address ${n}`);
  assert.ok(buckets.size <= 65_536, `${buckets.size} buckets`);
});

test('the rate and the burst are divided among the processes as soon as another process starts', () => {
  const clock = { ms: 0 };
  let processes = 1;
  const all = Array.from(
    { length: 10 },
    () =>
      new TokenBuckets(
        100,
        1_000,
        () => clock.ms,
        () => processes,
      ),
  );
  const takeMany = () => {
    let count = 0;
    for (const buckets of all) while (buckets.take('key').allowed) count += 1;
    return count;
  };
  processes = 10;
  assert.equal(takeMany(), 1_000);
  clock.ms = 1_000;
  assert.equal(takeMany(), 100);
  assert.equal(all[0]?.capacity, 100);
});

test('the share of each process allows at least one request', () => {
  const clock = { ms: 0 };
  const buckets = new TokenBuckets(
    1,
    10,
    () => clock.ms,
    () => 40,
  );
  assert.deepEqual(
    [buckets.capacity, buckets.take('key').allowed, buckets.take('key').allowed],
    [1, true, false],
  );
  clock.ms = 40_000;
  assert.equal(buckets.take('key').allowed, true);
});
