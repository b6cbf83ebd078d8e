import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { delayAfterMs, nextDelayMs } from './retry-schedule.ts';
import { TIMINGS } from './timings.ts';

const MINUTE_MS = 60_000;

test('the first retries follow after 1, 3, 10 and 30 minutes', () => {
  const delays = [0, 1, 4, 14].map((minutes, before) => nextDelayMs(before + 1, minutes * MINUTE_MS, 0));
  assert.deepEqual(
    delays.map((delayMs) => (delayMs ?? 0) / MINUTE_MS),
    [1, 3, 10, 30],
  );
});

test('a destination is probed with the same delays, from the number of its failures', () => {
  const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((failures) => delayAfterMs(failures, 0) / MINUTE_MS);
  assert.deepEqual(minutes, [1, 3, 10, 30, 60, 120, 240, 360, 360]);
  assert.equal(delayAfterMs(1, 1), 1.1 * MINUTE_MS);
});

test('attempts that a person requested do not delay the next attempt', () => {
  for (const [attempt, minutes, delay] of [
    [2, 0, 1],
    [20, 0, 1],
    [20, 3, 3],
    [20, 4, 10],
    [20, 60, 60],
    [3, 60 * 60, 10],
  ] as const)
    assert.equal(nextDelayMs(attempt, minutes * MINUTE_MS, 0), delay * MINUTE_MS);
});

/** The ages of an email at its attempts, until the email is abandoned. */
function attemptAges(jitters: readonly number[]): number[] {
  const ages = [0];
  for (let attempt = 1; ; attempt++) {
    const ageMs = ages.at(-1) ?? 0;
    const delayMs = nextDelayMs(attempt, ageMs, jitters[attempt % jitters.length] ?? 0);
    if (delayMs === null) return ages;
    ages.push(ageMs + delayMs);
  }
}

test('the last attempt is made at the end of three days, whatever the jitter', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }), (jitters) => {
      const last = attemptAges(jitters).at(-1) ?? 0;
      assert.ok(last >= TIMINGS.abandonAfterMs);
      assert.ok(last <= TIMINGS.abandonAfterMs + MINUTE_MS);
    }),
  );
});

test('fewer than thirty attempts are made in three days', () => {
  assert.ok(attemptAges([0]).length < 30);
});
