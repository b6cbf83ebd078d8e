/** Mail from third-party servers and clients to mailboxes. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { certificateFolder } from '../../src/certificates/certificate.fixture.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { relayTo, outboundMessage } from '../support/relay-to.ts';
import { type Service, startService } from '../support/service.ts';
import { hookLimit, requireProgram, withPeers } from './peers.ts';
import { type Postfix, startPostfix } from './postfix.ts';

const run = promisify(execFile);
const RECIPIENTS = ['anna@posthorn.localhost', 'bert+x@posthorn.localhost'];

suite('mail for mailboxes', withPeers, () => {
  const certificate = certificateFolder();
  let dns: DnsServer;
  let service: Service;
  before(async () => {
    dns = await startDnsServer({});
    service = await startService({
      env: {
        POSTHORN_DNS: dns.address,
        POSTHORN_TLS_CERT: certificate.certPath,
        POSTHORN_TLS_KEY: certificate.keyPath,
      },
    });
    const { body } = await service
      .client()
      .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
    const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id;
    for (const local_part of ['anna', 'bert'])
      await service.client().post('/v1/mailboxes', { domain_id, local_part });
  }, hookLimit);
  after(async () => {
    await service[Symbol.asyncDispose]();
    await dns[Symbol.asyncDispose]();
    certificate[Symbol.dispose]();
  }, hookLimit);

  /** Waits until a number of mailboxes have a message with the subject. */
  async function waitFor(subject: string, mailboxes: number): Promise<void> {
    let found = 0;
    const isThere = async () => {
      const { rows } = await sql<{ found: number }>`
        select count(*)::int as found from message_contents where subject = ${subject}`.execute(
        service.database,
      );
      found = rows[0]?.found ?? 0;
      return found === mailboxes;
    };
    assert.ok(await eventually(isThere, 60_000), `${subject}: ${found} of ${mailboxes}`);
  }

  test('small and large messages from Postfix are delivered to mailboxes', async () => {
    const postfix: Postfix = await startPostfix({
      domains: ['dst.test'],
      transports: { 'posthorn.localhost': `smtp:[127.0.0.1]:${service.smtpPort}` },
    });
    try {
      await using sender = relayTo(postfix.port);
      for (const [subject, text] of [
        ['postfix', 'hello'],
        ['postfix large', `${'x'.repeat(70)}\r\n`.repeat(100_000)],
      ]) {
        const data = Buffer.from(`From: a@sender.example\r\nSubject: ${subject}\r\n\r\n${text}\r\n`);
        for (const rcptTo of RECIPIENTS) {
          const outcome = await sender.send(outboundMessage({ mailFrom: 'a@sender.example', rcptTo, data }));
          assert.equal(outcome.outcome, 'accepted');
        }
      }
      await waitFor('postfix', 2);
      await waitFor('postfix large', 2);
    } finally {
      await postfix[Symbol.asyncDispose]();
    }
  });

  test('a message from swaks is delivered, and unknown or foreign recipients are rejected', async () => {
    const swaks = requireProgram('/usr/bin/swaks', 'swaks');
    const server = ['--server', `127.0.0.1:${service.smtpPort}`, '--from', 'a@sender.example'];
    const to = ['--to', RECIPIENTS.join(',')];
    await run(swaks, [...server, ...to, '--h-Subject', 'swaks']);
    await waitFor('swaks', 2);
    await assert.rejects(run(swaks, [...server, '--to', 'victim@elsewhere.example']), {
      stdout: /550 5\.7\.1/,
    });
    await assert.rejects(run(swaks, [...server, '--to', 'nobody@posthorn.localhost']), {
      stdout: /550 5\.1\.1/,
    });
  });

  test("messages from Python's smtplib are delivered, with and without TLS", async () => {
    await run('python3', [
      join(import.meta.dirname, 'send-mail.py'),
      String(service.smtpPort),
      ...RECIPIENTS,
    ]);
    for (const subject of ['smtplib', 'smtplib large', 'smtplib ünïcode', 'smtplib tls'])
      await waitFor(subject, 2);
  });

  test('a message from another Posthorn installation is delivered', async () => {
    await using sender = await startService({
      env: {
        POSTHORN_HOSTED_DOMAIN: 'other.localhost',
        POSTHORN_PROVIDER: 'smtp',
        POSTHORN_SMTP_URL: `smtp://127.0.0.1:${service.smtpPort}`,
      },
    });
    const { status } = await sender.client().post('/v1/emails', {
      from: 'hello@other.localhost',
      to: RECIPIENTS,
      subject: 'posthorn',
      text: 'It works.',
    });
    assert.equal(status, 202);
    await waitFor('posthorn', 2);
  });
});
