import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extended, lengthOf } from './words.ts';

const day = (days: number) => new Date(Date.UTC(2026, 0, 1 + days));
const linkUntil = (end: Date) => ({
  created_at: day(0).toISOString(),
  expires_at: end.toISOString(),
});

void test('a link expires the chosen time after its message is sent, even if sending takes several attempts', () => {
  const chosenMs = lengthOf(linkUntil(day(14)));
  const first = extended(linkUntil(day(14)), chosenMs, day(2));
  assert.deepEqual(first, day(16));
  assert.deepEqual(extended(linkUntil(day(16)), chosenMs, day(3)), day(17));
  assert.equal(extended(linkUntil(day(17)), chosenMs, day(3)), null);
  assert.equal(extended(linkUntil(day(17)), chosenMs, day(95)), 'never');
});
