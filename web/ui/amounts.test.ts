import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes } from './amounts.ts';

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
