import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, percentage, quotaBytes } from './amounts.ts';

test('sizes count by 1024, with one unit and at most one decimal', () => {
  const told = [0, 1_023, 1_024, 1_229, 100 * 1_024 + 600, 25 * 1_024 ** 2, 1_024 ** 3, 1.5 * 1_024 ** 5];
  assert.deepEqual(told.map(bytes), [
    '0 bytes',
    '1023 bytes',
    '1 KB',
    '1.2 KB',
    '101 KB',
    '25 MB',
    '1 GB',
    '1.5 PB',
  ]);
});

test('a quota is shown in the unit in which it was set', () => {
  const quotas = [1_024, 5_000, 2_048, 500, 1_536].map((megabytes) => megabytes * 1_024 ** 2);
  assert.deepEqual(quotas.map(quotaBytes), ['1 GB', '5,000 MB', '2 GB', '500 MB', '1,536 MB']);
});

test('shares have two significant digits, and only a whole is 100%', () => {
  const shown = [0, 0.00029, 0.0049, 0.5, 0.896, 0.95, 0.995, 13_766 / 13_834, 0.99999, 1];
  assert.deepEqual(shown.map(percentage), [
    '0%',
    '0.029%',
    '0.49%',
    '50%',
    '90%',
    '95%',
    '99.5%',
    '99.5%',
    '99.9%',
    '100%',
  ]);
});
