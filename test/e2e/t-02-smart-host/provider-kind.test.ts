/** Mail accepted for real delivery is never sent to the sandbox, even if a later start is configured with the sandbox. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { posthorn } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService } from '../../support/service.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';

const EMAIL = { from: 'a@posthorn.localhost', to: ['you@example.com'], subject: 'Hello', text: 'Hi.' };

test('mail accepted for a smart host stays queued while the service runs with the sandbox', async () => {
  let defers = true;
  await using server = await startSmtpServer({
    reply: (stage) => (defers && stage === 'rcpt' ? '450 4.2.0 greylisted' : undefined),
  });
  const env = { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` };
  // Disposing the first service removes the data folder, so it is disposed of last.
  await using first = await startService({ env });
  const { dataDir, token } = first;
  const queue = async (...args: string[]) => {
    const ran = await posthorn({ POSTHORN_DATA: dataDir }, 'queue', ...args, '--json');
    assert.equal(ran.code, 0, ran.stderr);
    return JSON.parse(ran.stdout) as Record<string, unknown>;
  };
  const send = async (service: Service): Promise<string> =>
    (await service.client(token).post<{ id: string }>('/v1/emails', EMAIL)).body.id;
  const statusOf = async (service: Service, id: string) =>
    (await service.client(token).get<{ status: string }>(`/v1/emails/${id}`)).body.status;
  const becomes = async (service: Service, id: string, status: string) => {
    await eventually(async () => (await statusOf(service, id)) === status, 20_000);
    assert.equal(await statusOf(service, id), status);
  };

  const real = await send(first);
  await becomes(first, real, 'sending');
  await first.stop();

  // The service starts without the environment variable, as after an operator's mistake.
  await using lost = await startService({ dataDir });
  const accepted = await send(lost);
  await queue('try', '--destination', 'example.com');

  // An operator switches the installation to the sandbox. The service then delivers sandbox mail, and leaves real mail queued.
  await queue('provider', '--set', 'sandbox', '--yes');
  for (let time = 0; time < 2; time++) {
    await becomes(lost, await send(lost), 'delivered');
    await queue('try', '--destination', 'example.com');
  }
  assert.deepEqual(await Promise.all([real, accepted].map((id) => statusOf(lost, id))), [
    'sending',
    'queued',
  ]);
  assert.deepEqual((await queue('provider'))['waiting'], { sandbox: 0, real: 2 });
  await lost.stop();

  // The service starts with the environment variable again.
  defers = false;
  await queue('provider', '--set', 'real', '--yes');
  await using again = await startService({ dataDir, env });
  for (const id of [real, accepted]) await becomes(again, id, 'sent');
  assert.equal(server.messages.length, 2);
});
