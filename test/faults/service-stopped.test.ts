import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import type { Patch } from '../support/patches.ts';
import { isReady, processesOn, until } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const SHORT_PATIENCE: readonly Patch[] = [{ timings: 'src/process', values: { childrenPatienceMs: 300 } }];

/** Begins a request whose headers are complete and whose body is still missing. */
async function beginRequest(service: Service): Promise<ClientRequest> {
  const begun = request(`${service.baseUrl}/v1/emails`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      'content-length': BODY.length,
      expect: '100-continue',
    },
  });
  begun.flushHeaders();
  await once(begun, 'continue');
  return begun;
}

const BODY = JSON.stringify({
  from: 'a@posthorn.localhost',
  to: ['b@dst.test'],
  subject: 'Hello',
  text: 'It works.',
});

test('after SIGTERM the service sends the emails in flight and exits with 0', async () => {
  const reply = Promise.withResolvers<string | undefined>();
  const begun = Promise.withResolvers<void>();
  await using slow = await startSmtpServer({
    reply: (stage) => {
      if (stage !== 'dot') return undefined;
      begun.resolve();
      return reply.promise;
    },
  });
  await using other = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${slow.port}` },
  });
  const { body } = await other.client().post<{ id: string }>('/v1/emails', {
    from: 'Acme <hello@posthorn.localhost>',
    to: ['you@example.com'],
    subject: 'Hello',
    text: 'It works.',
  });
  await begun.promise;
  const stopped = other.stop();
  reply.resolve('250 2.0.0 ok');
  assert.equal(await stopped, 0);
  await using again = await startService({ dataDir: other.dataDir });
  const detail = await again.client(other.token).get<{ status: string }>(`/v1/emails/${body.id}`);
  assert.equal(detail.body.status, 'sent');
});

test('after SIGTERM the service finishes requests in flight, then ends all its processes', async () => {
  await using service = await startService();
  const begun = await beginRequest(service);
  const answered = once(begun, 'response') as Promise<[IncomingMessage]>;
  service.supervisor.kill('SIGTERM');
  await until(async () => !(await isReady(service)));
  begun.end(BODY);
  const [response] = await answered;
  assert.equal(response.statusCode, 202);
  response.resume();
  await once(service.supervisor, 'exit');
  assert.equal(service.supervisor.exitCode, 0);
  assert.deepEqual(processesOn(service.dataDir), []);
});

test('after SIGTERM the service does not wait for a request that never ends', async () => {
  await using service = await startService({ patches: SHORT_PATIENCE });
  const begun = await beginRequest(service);
  begun.on('error', () => {});
  service.supervisor.kill('SIGTERM');
  await once(service.supervisor, 'exit');
  assert.equal(service.supervisor.exitCode, 0);
  assert.deepEqual(processesOn(service.dataDir), []);
});

test('a second SIGTERM ends the service at once with code 143', async () => {
  await using service = await startService();
  const begun = await beginRequest(service);
  begun.on('error', () => {});
  service.supervisor.kill('SIGTERM');
  await until(async () => !(await isReady(service)));
  // Wait 110 ms, because two signals within 100 ms are handled as one signal.
  await new Promise((resolve) => setTimeout(resolve, 110));
  const secondAt = performance.now();
  service.supervisor.kill('SIGTERM');
  await once(service.supervisor, 'exit');
  assert.ok(performance.now() - secondAt < 5_000);
  assert.equal(service.supervisor.exitCode, 143);
  await until(() => processesOn(service.dataDir).length === 0);
});

test('a Ctrl-C that arrives twice, from the terminal and from npm, is handled as one', async () => {
  await using service = await startService();
  service.supervisor.kill('SIGINT');
  service.supervisor.kill('SIGINT');
  await once(service.supervisor, 'exit');
  assert.equal(service.supervisor.exitCode, 0);
});
