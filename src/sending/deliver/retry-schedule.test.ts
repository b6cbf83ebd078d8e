import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nextDelayMs } from './retry-schedule.ts';
import { TIMINGS } from './timings.ts';

const MINUTE_MS = 60_000;

test('the first retries follow after 1, 3, 10 and 30 minutes', () => {
  const delays = [1, 2, 3, 4].map((attempt) => nextDelayMs(attempt, 0, 0));
  assert.deepEqual(
    delays.map((delayMs) => (delayMs ?? 0) / MINUTE_MS),
    [1, 3, 10, 30],
  );
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
