import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rateOf, timeLeft } from './rate.ts';

void test('the rate is measured over the last seconds, and is null until enough time has passed', () => {
  const rate = rateOf();
  rate.note(0, 0);
  rate.note(500, 1_000);
  assert.equal(rate.perSecond(), null);
  for (let at = 2_000; at <= 20_000; at += 1_000) rate.note(at, at);
  assert.equal(rate.perSecond(), 1_000);
  rate.reset();
  assert.equal(rate.perSecond(), null);
});

void test('the remaining time is shown in seconds, minutes or hours, depending on its length', () => {
  assert.deepEqual(
    [1, 12_000, 130_000, 4_000_000, 400_000_000].map((octets) => timeLeft(octets, 1_000)),
    ['5 s left', '15 s left', '3 min left', '1 h 7 min left', 'more than a day left'],
  );
  assert.equal(timeLeft(10, 0), null);
  assert.equal(timeLeft(10, null), null);
});
