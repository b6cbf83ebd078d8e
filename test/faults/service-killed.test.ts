import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { happensAtLast, lostOf, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

/** Kills every process of the service while emails are accepted and sent, then starts the service again. @returns the lost emails */
async function killService(patches: readonly Patch[], patienceMs: number): Promise<string[]> {
  await using server = await startSmtpServer();
  const options = {
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: [...SHORT_LEASE, ...patches],
  };
  const first = await startService(options);
  const stopPosting = new AbortController();
  const posting = postEmails(first, { signal: stopPosting.signal });
  await eventually(() => server.messages.length >= 200, 10_000);
  await first.kill();
  stopPosting.abort();
  const { accepted } = await posting;

  await using second = await startService({ ...options, dataDir: first.dataDir });
  await queueIsEmpty(second, patienceMs);
  return await lostOf(second.client(first.token), server, accepted);
}

test('no email that got a 202 is lost when the whole service is killed', async () => {
  assert.deepEqual(await killService([], 30_000), []);
});

test('control: emails are lost if the 202 is sent before the commit', async () => {
  const early = {
    file: 'src/sending/accept/accept-email.ts',
    protection: 'commit before the 202',
    replace: 'setTimeout(() => void this.#write(email, plan).catch(() => {}), 300);',
  };
  assert.ok(await happensAtLast(async () => (await killService([early], 10_000)).length > 0));
});
