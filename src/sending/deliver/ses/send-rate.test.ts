import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL_SHARE } from '../../../concurrency/share.ts';
import { SendRate } from './send-rate.ts';

/** The number of messages that are sent in a period if mail always waits. */
function sentIn(rate: SendRate, fromMs: number, toMs: number): number {
  let sent = 0;
  for (let nowMs = fromMs; ; ) {
    const { waitMs } = rate.take(nowMs);
    nowMs += waitMs;
    if (nowMs >= toMs) return sent;
    sent += 1;
    rate.good(nowMs);
  }
}

test('the send rate does not exceed the rate of the account', () => {
  for (const limit of [1, 14, 200]) {
    const rate = new SendRate(() => FULL_SHARE);
    rate.limit = limit;
    const sent = sentIn(rate, 0, 10_000);
    assert.ok(sent >= limit * 9 && sent <= limit * 10.2 + 1, `${sent} at ${limit} a second`);
  }
});

test('the send rate falls at once when the rate of the account is lowered', () => {
  const rate = new SendRate(() => FULL_SHARE);
  rate.limit = 100;
  rate.limit = 2;
  assert.equal(rate.perSecond, 2);
  rate.limit = 0;
  assert.ok(rate.perSecond > 0);
});

test('the rate is halved once when SES rejects several messages in flight as too fast', () => {
  const rate = new SendRate(() => FULL_SHARE);
  rate.limit = 100;
  for (let count = 0; count < 50; count++) rate.tooFast(1_000 + count);
  assert.equal(rate.perSecond, 50);
  rate.tooFast(2_100);
  assert.equal(rate.perSecond, 25);
});

test('a slowdown voids slots taken before it, and delays later slots', () => {
  const rate = new SendRate(() => FULL_SHARE);
  const before = rate.take(0);
  rate.tooFast(0);
  assert.ok(rate.isVoid(before));
  const after = rate.take(0);
  assert.ok(!rate.isVoid(after));
  assert.equal(after.waitMs, 1_000);
});

test('the rate grows back to the limit while mail waits', () => {
  const rate = new SendRate(() => FULL_SHARE);
  rate.limit = 20;
  rate.tooFast(0);
  assert.equal(rate.perSecond, 10);
  sentIn(rate, 1_000, 60_000);
  assert.equal(rate.perSecond, 20);
});

test('if the limit is unknown, the rate grows until it is found', () => {
  const rate = new SendRate(() => FULL_SHARE);
  assert.equal(rate.perSecond, 14);
  sentIn(rate, 0, 30_000);
  assert.ok(rate.perSecond > 28, String(rate.perSecond));
});

test('the rate does not grow while no mail waits', () => {
  const rate = new SendRate(() => FULL_SHARE);
  for (let nowMs = 0; nowMs < 600_000; nowMs += 1_000) {
    rate.take(nowMs);
    rate.good(nowMs);
  }
  assert.equal(rate.perSecond, 14);
});

test('the rate never becomes zero', () => {
  const rate = new SendRate(() => FULL_SHARE);
  for (let nowMs = 0; nowMs < 100_000; nowMs += 1_000) rate.tooFast(nowMs);
  assert.ok(rate.perSecond >= 0.2);
});

test('workers together keep the rate of the account, and some workers get no share if the rate is lower than the number of workers', () => {
  for (const [limit, count] of [
    [14, 4],
    [14, 40],
    [1, 40],
    [200, 40],
  ] as const) {
    const rates = Array.from({ length: count }, (_, index) => new SendRate(() => ({ index, count })));
    for (const rate of rates) rate.limit = limit;
    const sending = rates.filter(({ hasPart }) => hasPart);
    assert.equal(sending.length, Math.min(limit, count));
    const sent = sending.reduce((sum, rate) => sum + sentIn(rate, 0, 10_000), 0);
    assert.ok(sent >= limit * 9 && sent <= limit * 10.2 + sending.length, `${sent} at ${limit} for ${count}`);
  }
});
