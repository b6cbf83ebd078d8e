/** Filters, vacation replies and forwarding through the whole service, including a kill of the service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { dkimRecord } from '../../src/rfc/dkim/record.ts';
import { posthornProcess } from '../support/cli.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { outboundMessage, relayTo } from '../support/relay-to.ts';
import { type Service, startService } from '../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { verifyArc } from '../support/verify-arc.ts';

const MAILBOX = 'anna@posthorn.localhost';

function envOf(smartHost: SmtpTestServer, dns: DnsServer): Record<string, string> {
  return {
    POSTHORN_DNS: dns.address,
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://127.0.0.1:${smartHost.port}`,
  };
}

async function makeMailbox(service: Service): Promise<void> {
  const { body } = await service.client().get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
  const domain_id = body.data.find(({ is_hosted }) => is_hosted)?.id;
  const { status } = await service.client().post('/v1/mailboxes', { domain_id, local_part: 'anna' });
  assert.equal(status, 201);
}

async function mailbox(service: Service, ...args: string[]): Promise<void> {
  const ofMailbox = ['--project', 'default', '--address', MAILBOX];
  const { code, stderr } = await posthornProcess(
    { POSTHORN_DATA: service.dataDir },
    'mailbox',
    ...args,
    ...ofMailbox,
  );
  assert.equal(code, 0, stderr);
}

/** Delivers a message, as another server does. @returns whether the message was accepted */
async function deliver(port: number, subject: string, from = 'bert@sender.example'): Promise<boolean> {
  const data = Buffer.from(
    `From: Bert <${from}>\r\nTo: ${MAILBOX}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@sender.example>\r\n\r\nGrüße, without a last line end`,
  );
  await using sender = relayTo(port);
  const { outcome } = await sender.send(outboundMessage({ mailFrom: from, rcptTo: MAILBOX, data }));
  return outcome === 'accepted';
}

test('a received message is moved to a folder by a filter, gets a vacation reply, and is forwarded with a valid ARC seal', async () => {
  await using dns = await startDnsServer({});
  await using smartHost = await startSmtpServer();
  await using service = await startService({ env: envOf(smartHost, dns) });
  await makeMailbox(service);
  const rule = ['--name', 'Invoices', '--if', 'subject starts invoice', '--then', 'file Invoices'];
  await mailbox(service, 'rule', 'add', ...rule, '--then', 'mark read');
  await mailbox(service, 'vacation', 'set', '--text', 'I am away.');
  await mailbox(service, 'forward', 'set', '--to', 'anna@elsewhere.test');

  for (let n = 1; n <= 2; n++) assert.ok(await deliver(service.smtpPort, `invoice-${n}`));
  const messages = await smartHost.waitForMessages(3, 20_000);
  const sentTo = (recipient: string) => messages.filter(({ rcptTo }) => rcptTo.includes(recipient));
  const [answer, ...others] = sentTo('bert@sender.example');
  assert.deepEqual(others, [], 'a sender gets one vacation reply');
  assert.equal(answer?.mailFrom, '');
  assert.match(answer?.data.toString() ?? '', /^Auto-Submitted: auto-replied\r\n/m);

  const forwards = sentTo('anna@elsewhere.test');
  assert.equal(forwards.length, 2);
  const { publicKey } = await service.database
    .selectFrom('dkimKeys')
    .select('publicKey')
    .where('algorithm', '=', 'rsa-sha256')
    .executeTakeFirstOrThrow();
  for (const { mailFrom, data } of forwards) {
    assert.match(mailFrom ?? '', /^f\+.{62}@send\.posthorn\.localhost$/);
    assert.equal(await verifyArc(data, dkimRecord('rsa-sha256', publicKey)), 'pass 1');
  }
  const { rows } = await sql<{ name: string; seen: number; messages: number }>`
    select f.name, min(m.flags & 1)::int as seen, count(*)::int as messages
    from messages m join folders f on f.id = m.folder_id group by f.name`.execute(service.database);
  assert.deepEqual(rows, [{ name: 'Invoices', seen: 1, messages: 2 }]);
});

const SENDERS = 6;

test('a message to forward without a local copy stays queued if the service is killed after its 250', async () => {
  await using dns = await startDnsServer({});
  await using smartHost = await startSmtpServer();
  const env = envOf(smartHost, dns);
  let service = await startService({ env });
  try {
    await makeMailbox(service);
    await mailbox(service, 'forward', 'set', '--to', 'anna@elsewhere.test', '--keep', 'off');
    const accepted = new Set<string>();
    const stop = new AbortController();
    const sending = Array.from({ length: SENDERS }, async (_, at) => {
      for (let n = 0; !stop.signal.aborted; n++) {
        const subject = `m-${at}-${n}`;
        if (await deliver(service.smtpPort, subject).catch(() => false))
          accepted.add(`<${subject}@sender.example>`);
      }
    });
    assert.ok(await eventually(() => accepted.size >= 50, 30_000));
    await service.kill();
    stop.abort();
    await Promise.all(sending);
    service = await startService({ env, dataDir: service.dataDir });
    const { rows } = await sql<{ messageId: string }>`select message_id from submissions where kind = 'moved'
      union all select message_id from message_contents`.execute(service.database);
    const found = new Set(rows.map(({ messageId }) => messageId));
    assert.deepEqual(
      [...accepted].filter((messageId) => !found.has(messageId)),
      [],
    );
    assert.equal(found.size, rows.length, 'a message is both stored and queued');
  } finally {
    await service[Symbol.asyncDispose]();
  }
});
