import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkQuota } from './check-quota.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = 1_000 * HOUR_MS;
const cases: [octets: number, size: number | null, fullHours: number | null, expected: string | null][] = [
  [0, null, null, null],
  [0, 100, null, null],
  [0, 101, null, 'messageOverQuota'],
  [100, 101, 30, 'messageOverQuota'],
  [99, null, null, null],
  [99, 1, 30, null],
  [99, 2, null, 'mailboxFull'],
  [100, null, null, 'mailboxFull'],
  [100, 0, 30, null],
  [100, null, 24, 'mailboxFull'],
  [100, null, 25, 'mailboxFullForLong'],
  [900, 1, 25, 'mailboxFullForLong'],
];
for (const [octets, size, fullHours, expected] of cases) {
  const since = fullHours === null ? 'never' : `for ${fullHours} h`;
  test(`a message of ${size ?? 'unknown'} octets to a mailbox with ${octets} of 100 used, full ${since}: ${expected ?? 'accepted'}`, () => {
    const fullSince = fullHours === null ? null : new Date(NOW_MS - fullHours * HOUR_MS);
    assert.equal(
      checkQuota({ octets, quotaOctets: 100, fullSince, storageLeft: null }, size, NOW_MS),
      expected,
    );
  });
}

const ofPlan: [left: number, size: number | null, fullHours: number | null, expected: string | null][] = [
  [50, 50, null, null],
  [50, null, null, null],
  [50, 51, null, 'mailboxFull'],
  [50, 51, 25, 'mailboxFullForLong'],
  [0, null, null, 'mailboxFull'],
  [-10, 0, 25, 'mailboxFullForLong'],
];
for (const [storageLeft, size, fullHours, expected] of ofPlan)
  test(`a message of ${size ?? 'unknown'} octets with ${storageLeft} left in the plan, full for ${fullHours ?? 0} h: ${expected ?? 'accepted'}`, () => {
    const fullSince = fullHours === null ? null : new Date(NOW_MS - fullHours * HOUR_MS);
    const usage = { octets: 0, quotaOctets: 1_000, fullSince, storageLeft };
    assert.equal(checkQuota(usage, size, NOW_MS), expected);
  });
