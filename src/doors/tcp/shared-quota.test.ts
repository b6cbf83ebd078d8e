import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientConnection } from './client-connection.ts';
import { SharedQuota } from './shared-quota.ts';

test('who has signed in is kept waiting for room for minutes, and anybody else for one', async () => {
  const room = new SharedQuota(4, () => {});
  const waitedMs: number[] = [];
  const newConnection = (isTrusted: boolean): ClientConnection => {
    const keptWaiting = async (_: Promise<void>, mostMs: number) => void waitedMs.push(mostMs);
    const fields = { isTrusted, network: 'one', activity: 0, isWaiting: false, keptWaiting };
    return fields as unknown as ClientConnection;
  };
  assert.ok(room.take(newConnection(true), 4));
  for (const isTrusted of [true, false])
    assert.equal(await room.takeInLine(newConnection(isTrusted), 2), false);
  assert.deepEqual(waitedMs, [600_000, 60_000]);
});
