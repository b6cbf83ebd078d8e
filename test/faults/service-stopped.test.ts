import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

test('SIGTERM finishes what is in flight and exits with 0', async () => {
  const held = Promise.withResolvers<string | undefined>();
  const begun = Promise.withResolvers<void>();
  await using slow = await startSmtpServer({
    reply: (stage) => {
      if (stage !== 'dot') return undefined;
      begun.resolve();
      return held.promise;
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
  held.resolve('250 2.0.0 ok');
  assert.equal(await stopped, 0);
  await using again = await startService({ dataDir: other.dataDir });
  const detail = await again.client(other.token).get<{ status: string }>(`/v1/emails/${body.id}`);
  assert.equal(detail.body.status, 'sent');
});
