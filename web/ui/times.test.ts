import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { delta, utc } from './times.ts';

test('a clock time has milliseconds, and hours from 00 to 23', () => {
  const times = ['2026-11-30T00:00:00.005Z', '2026-11-30T04:16:52.431Z', '2026-11-30T23:59:59Z'];
  assert.deepEqual(times.map(utc.clock), ['00:00:00.005', '04:16:52.431', '23:59:59.000']);
});

describe('the time between two events', () => {
  const earlier = '2026-11-30T23:59:30.000Z';
  for (const [ms, words] of [
    [0, '+0.00 s'],
    [-40, '+0.00 s'],
    [9, '+0.01 s'],
    [320, '+0.32 s'],
    [12_400, '+12.40 s'],
    [59_999, '+59.99 s'],
    [60_000, '+1 min'],
    [250_999, '+4 min 10 s'],
    [3_599_999, '+59 min 59 s'],
    [3_600_000, '+1 hr'],
    [11_100_000, '+3 hr 5 min'],
    [86_399_999, '+23 hr 59 min'],
    [86_400_000, '+1 day'],
    [2 * 86_400_000 + 3_660_000, '+2 days 1 hr'],
  ] as const)
    test(`of ${ms} ms is ${words}`, () => {
      assert.equal(delta(new Date(Date.parse(earlier) + ms).toISOString(), earlier), words);
    });
});
