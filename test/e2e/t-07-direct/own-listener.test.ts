/** A domain whose mail host is this installation, under a host name that is not configured. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDnsServer } from '../../support/dns-server.ts';
import { eventually } from '../../support/eventually.ts';
import { startService } from '../../support/service.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';

interface Detail {
  status: string;
  events: { type: string; detail: Record<string, unknown> | null }[];
}

test('mail to a domain whose MX resolves to the own listener fails, and no address is suppressed', async () => {
  await using dns = await startDnsServer({
    'alias.test': { MX: ['10 other-name.test'] },
    'other-name.test': { A: ['127.0.0.1'] },
  });
  // Start and stop a server to get a free port.
  const { port, stop } = await startSmtpServer();
  await stop();
  await using service = await startService({
    env: {
      POSTHORN_PROVIDER: 'direct',
      POSTHORN_DNS: dns.address,
      POSTHORN_MX_PORT: String(port),
      POSTHORN_SMTP_PORT: String(port),
      POSTHORN_HOSTNAME: 'mx.sender.test',
    },
  });
  const client = service.client();
  const { body } = await client.post<{ id: string }>('/v1/emails', {
    from: 'a@posthorn.localhost',
    to: ['b@alias.test'],
    subject: 'Hello',
    text: 'It works.',
  });
  let email: Detail | undefined;
  await eventually(async () => {
    ({ body: email } = await client.get<Detail>(`/v1/emails/${body.id}`));
    return email.status === 'failed';
  }, 10_000);
  assert.equal(email?.status, 'failed');
  const { reason, detail } = email.events.find(({ type }) => type === 'failed')?.detail ?? {};
  assert.equal(reason, 'no_route');
  assert.match(String(detail), /other-name\.test is this server itself/);
  const suppressed = await service.database.selectFrom('suppressions').selectAll().execute();
  assert.deepEqual(suppressed, []);
});
