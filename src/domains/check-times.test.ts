import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { nextCheckAt } from './check-times.ts';

const SINCE = new Date('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const after = (ms: number) => new Date(SINCE.getTime() + ms);

function pauseMs(status: 'pending' | 'verified' | 'warning' | 'failed', waitedMs: number, random = 0.5) {
  const next = nextCheckAt(status, SINCE, after(waitedMs), random);
  return next === null ? null : next.getTime() - after(waitedMs).getTime();
}

describe('the next look', () => {
  test('at a claim that waits comes soon and then less and less often, and at last not any more', () => {
    const pauses: (number | null)[] = [];
    for (let waitedMs = 0; ; ) {
      const pause = pauseMs('pending', waitedMs);
      pauses.push(pause);
      if (pause === null) break;
      waitedMs += pause;
    }
    const [first, second, third, ...later] = pauses;
    assert.deepEqual([first, second, third], [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]);
    const hourly = later.filter((pause) => pause === HOUR_MS).length;
    const daily = later.filter((pause) => pause === DAY_MS).length;
    assert.ok(hourly >= 71 && hourly <= 72, `${hourly} hourly`);
    assert.ok(daily >= 30 && daily <= 31, `${daily} daily`);
    assert.equal(later.length, hourly + daily + 1);
  });

  test('at a verified one comes every day, at one with a warning every hour, for ever', () => {
    for (const waitedMs of [0, DAY_MS, 1_000 * DAY_MS]) {
      assert.equal(pauseMs('verified', waitedMs), DAY_MS);
      assert.equal(pauseMs('warning', waitedMs), HOUR_MS);
    }
  });

  test('is spread around its time, and always ahead', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('pending' as const, 'verified' as const, 'warning' as const),
        fc.integer({ min: 0, max: 32 * DAY_MS }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (status, waitedMs, random) => {
          const [pause, middle] = [pauseMs(status, waitedMs, random), pauseMs(status, waitedMs)];
          assert.ok(pause !== null && middle !== null && pause > 0);
          assert.ok(Math.abs(pause - middle) <= middle * 0.1 + 1);
        },
      ),
    );
  });
});
