import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRetryAfter, retryDelayMs } from './retry.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 15, 4, 5, 500);

for (const [value, seconds] of [
  [null, null],
  ['0', 0],
  ['120', 120],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['soon', null],
  ['2026-11-20', null],
  ['Fri, 20 Nov 2026 15:04:35 GMT', 30],
  ['Fri, 20 Nov 2026 15:04:05 GMT', 0],
  ['Fri, 20 Nov 2020 15:04:05 GMT', 0],
  ['Fri, 99 Foo 2026 99:99:99 GMT', null],
] as const) {
  test(`Retry-After: ${value} is ${seconds} seconds`, () => {
    assert.equal(parseRetryAfter(value, NOW_MS), seconds);
  });
}

test('every Retry-After is parsed to whole seconds of at least 0, or to null', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.date().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      (value) => {
        const seconds = parseRetryAfter(value, NOW_MS);
        assert.ok(seconds === null || (Number.isInteger(seconds) && seconds >= 0));
      },
    ),
  );
});

test('the delay doubles with each attempt up to 8 s, and is randomly reduced by at most half', () => {
  const failure = { status: 503, retryAfterSeconds: null };
  const longest = [0, 1, 2, 3, 4, 5, 60].map((attempt) => retryDelayMs(failure, true, attempt, 1));
  assert.deepEqual(longest, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  assert.equal(retryDelayMs(failure, true, 1, 0), 500);
});

test('Retry-After is the minimum delay, and a Retry-After of more than a minute prevents retries', () => {
  const delay = (retryAfterSeconds: number) => retryDelayMs({ status: 429, retryAfterSeconds }, false, 0, 1);
  assert.deepEqual([0, 5, 60, 61].map(delay), [500, 5_000, 60_000, null]);
});

for (const status of [200, 301, 400, 401, 403, 404, 413, 422, 501]) {
  test(`a call that gets a ${status} is not retried`, () => {
    assert.equal(retryDelayMs({ status, retryAfterSeconds: null }, true, 0, 1), null);
  });
}
