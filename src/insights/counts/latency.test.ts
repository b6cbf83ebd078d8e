import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LATENCY_BOUNDS_MS, percentileOf } from './latency.ts';

function bucketsOf(times: readonly number[]): number[] {
  const buckets: number[] = [];
  for (const ms of times) {
    const found = LATENCY_BOUNDS_MS.findIndex((bound) => ms < bound);
    const at = found === -1 ? LATENCY_BOUNDS_MS.length : found;
    while (buckets.length <= at) buckets.push(0);
    buckets[at] = (buckets[at] ?? 0) + 1;
  }
  return buckets;
}

test('the error of a percentile is at most the width of its bucket', () => {
  const time = fc.integer({ min: 100, max: 200_000_000 });
  fc.assert(
    fc.property(
      fc.array(time, { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.9, 0.99),
      (times, share) => {
        const sorted = times.toSorted((one, other) => one - other);
        const exact = sorted[Math.ceil(times.length * share) - 1] ?? 0;
        const estimate = percentileOf(bucketsOf(times), share) ?? 0;
        assert.ok(estimate / exact < 1.6 && exact / estimate < 1.6, `${estimate} for ${exact}`);
      },
    ),
  );
});

test('an empty histogram has no percentile', () => assert.equal(percentileOf([0, 0], 0.5), null));
