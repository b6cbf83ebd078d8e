import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientConnection } from './client-connection.ts';
import { SharedQuota } from './shared-quota.ts';

test('a signed-in client waits ten minutes for quota, and any other client waits one minute', async () => {
  const quota = new SharedQuota(4, () => {});
  const waitedMs: number[] = [];
  const newConnection = (isTrusted: boolean): ClientConnection => {
    const pauseIdleUntil = async (_: Promise<void>, mostMs: number) => void waitedMs.push(mostMs);
    const fields = { isTrusted, network: 'one', activity: 0, isWaiting: false, pauseIdleUntil };
    return fields as unknown as ClientConnection;
  };
  assert.ok(quota.take(newConnection(true), 4));
  for (const isTrusted of [true, false])
    assert.equal(await quota.takeQueued(newConnection(isTrusted), 2), false);
  assert.deepEqual(waitedMs, [600_000, 60_000]);
});
