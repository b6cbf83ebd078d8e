import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMINGS as RETENTION } from '../../src/retention/timings.ts';
import { TIMINGS as DELIVERY } from '../../src/sending/deliver/timings.ts';
import { keepTimings } from './first-timings.ts';

test('what a file shortened has the time of the service again', async () => {
  const restore = await keepTimings();
  const [pauseMs, lookMs] = [RETENTION.pauseMs, DELIVERY.lookMs];
  RETENTION.pauseMs = 0;
  DELIVERY.lookMs = 1;
  restore();
  assert.deepEqual([RETENTION.pauseMs, DELIVERY.lookMs], [pauseMs, lookMs]);
});
