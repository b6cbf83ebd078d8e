/** Metrics of running attempts. */
// Runs in its own process: the metrics count everything in the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { parseExposition } from '../../../test/support/exposition.ts';
import { newUuid } from '../../model/ids.ts';
import { registry } from '../../observe/registry.ts';
import { ObservedAttempt } from './observed-attempt.ts';

const row = {
  projectId: newUuid(),
  emailId: newUuid(),
  stream: 'transactional' as const,
  recipientIndex: 0,
  address: 'ann@dst.example',
  octets: 1,
  attempts: 0,
  crashes: 0,
  scheduledAt: null,
  waitedUntil: null,
};

async function oldestSeconds(): Promise<number> {
  return parseExposition(await registry.metrics()).sum('posthorn_delivery_oldest_attempt_seconds');
}

test('the age of the oldest attempt is the age of the first unfinished attempt, however attempts end', async () => {
  const logger = pino({ enabled: false });
  assert.equal(await oldestSeconds(), 0);
  const first = new ObservedAttempt(logger, row, null);
  const betweenMs = performance.now();
  const sinceBetween = (): number => (performance.now() - betweenMs) / 1_000;
  const second = new ObservedAttempt(logger, row, null);
  const least = sinceBetween();
  assert.ok((await oldestSeconds()) > least);
  first.broken();
  const ofSecond = await oldestSeconds();
  assert.ok(ofSecond > 0 && ofSecond <= sinceBetween());
  second.answered();
  second.ended({ outcome: 'abandoned' }, null);
  assert.equal(await oldestSeconds(), 0);
});
