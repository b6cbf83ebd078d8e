import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { happensAtLast, lostOf, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

const EMAILS = 300;
const KILLS = 3;

/** Kills the worker repeatedly while it sends. @returns the lost emails */
async function killWorkers(patches: readonly Patch[], patienceMs: number): Promise<string[]> {
  await using server = await startSmtpServer();
  await using service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: [...SHORT_LEASE, ...patches],
  });
  const posting = postEmails(service, { count: EMAILS });
  for (let kill = 1; kill <= KILLS; kill++) {
    await eventually(() => server.messages.length >= (kill * EMAILS) / (KILLS + 2), 5_000);
    for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
  }
  const { accepted } = await posting;
  await queueIsEmpty(service, patienceMs);
  return await lostOf(service.client(), server, accepted);
}

test('no email is lost when workers are killed while they send', async () => {
  assert.deepEqual(await killWorkers([], 30_000), []);
});

test('control: emails are lost if the claims of a dead worker are not released', async () => {
  const notReleased = {
    file: 'src/queue/end-lease.ts',
    protection: 'taken back',
    replace: 'where false and lease_id = ${leaseId}',
  };
  assert.ok(await happensAtLast(async () => (await killWorkers([notReleased], 5_000)).length > 0));
});
