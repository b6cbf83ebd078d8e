import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Backoff } from './backoff.ts';

suite('Backoff', () => {
  test('restarts a process at once after its first death, and with growing delays of up to ten seconds after later ones', () => {
    const backoff = new Backoff();
    const waits = Array.from({ length: 8 }, () => backoff.nextMs(100));
    assert.deepEqual(waits, [0, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('restarts a process at once again after the process has run for 30 seconds', () => {
    const backoff = new Backoff();
    const waits = [100, 100, 29_999, 30_000, 100].map((livedMs) => backoff.nextMs(livedMs));
    assert.deepEqual(waits, [0, 500, 1_000, 0, 500]);
  });
});
