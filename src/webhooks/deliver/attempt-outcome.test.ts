import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryDelayMs } from './attempt-outcome.ts';

const ATTEMPTS = Array.from({ length: 11 }, (_, at) => at + 1);

function totalMs(jitter: number): number {
  return ATTEMPTS.reduce((sum, attempt) => sum + (retryDelayMs(attempt, 12, jitter) ?? 0), 0);
}

test('the first retry waits 30 s and each later retry twice as long as the previous one, 61,410 s in total', () => {
  assert.deepEqual(
    ATTEMPTS.map((attempt) => retryDelayMs(attempt, 12, 0)),
    ATTEMPTS.map((attempt) => 30_000 * 2 ** (attempt - 1)),
  );
  assert.equal(totalMs(0), 61_410_000);
});

test('the jitter adds at most 5 %', () => {
  assert.equal(retryDelayMs(1, 12, 1), 31_500);
  assert.equal(totalMs(1), 61_410_000 * 1.05);
});

test('there is no retry after the last attempt', () => {
  assert.equal(retryDelayMs(12, 12, 0), null);
  assert.equal(retryDelayMs(1, 1, 0), null);
});
