/** Blocklists with the real port for incoming mail, behind a TCP proxy that names the clients. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { environmentOf } from '../../test/support/cli.ts';
import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { recordMx } from '../domains/mx/record-mx.ts';
import { TestClient } from '../doors/smtp/dialogue.fixture.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { encodeId } from '../model/ids.ts';
import type { SpamReason, SpamVerdict } from '../receiving/spam/verdict.ts';
import { readConfig } from './config.ts';
import { startTestRoles } from './roles.fixture.ts';

const RELAY = '192.0.2.9';
const CLIENT = '198.51.100.7';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
let dns: DnsServer;
let port = 0;
/** The reasons in the spam verdict of the only message. */
let reasons: () => Promise<readonly SpamReason[]>;

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-blocklists-'));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const db = stack.use(await sealedDatabase());
  const { database } = db;
  dns = stack.use(
    await startDnsServer({
      'shop.example': { MX: ['10 mx.here.example'] },
      '2.0.0.127.ip.example': { A: ['127.0.0.2'] },
      'test.hunter22.uri.example': { A: ['127.0.0.2'] },
      '7.100.51.198.ip.example': { A: ['127.0.0.2'] },
      'example.org.hunter22.uri.example': { A: ['127.0.0.64'] },
    }),
  );
  const config = readConfig({
    ...environmentOf(db),
    POSTHORN_DATA: folder,
    POSTHORN_HOSTNAME: 'mx.example.net',
    POSTHORN_SMTP_PORT: '0',
    POSTHORN_DNS: dns.address,
    POSTHORN_PROXY_PROTOCOL: 'smtp=127.0.0.1',
    POSTHORN_TRUSTED_RELAYS: RELAY,
    POSTHORN_DNSBL: 'ip.example=127.0.0.2',
    POSTHORN_URIBL: 'hunter22@uri.example=bit64:4',
  });
  const projectId = await newProject(database);
  const claim = { status: 'verified', verifiedAt: new Date() } as const;
  const id = await newDomain(database, projectId, 'shop.example', claim);
  const mx = { outcome: 'found', records: [{ priority: 10, exchange: config.hostname }] } as const;
  await recordMx(database, { projectId, id, name: 'shop.example' }, [config.hostname], mx, new Date());
  await newDomain(database, projectId, 'example.com', claim);
  await new Mailboxes({ database, hostedDomain: config.hostedDomain }).create(projectId, {
    domain_id: encodeId('dom', id),
    local_part: 'sales',
    quota_mb: 1,
    password: 'correct horse battery staple',
  });
  const roles = stack.use(await startTestRoles(db, config, ['smtp']));
  port = roles.ports.smtp ?? 0;
  reasons = async () => {
    const { spam } = await database.selectFrom('messageContents').select('spam').executeTakeFirstOrThrow();
    return (spam as SpamVerdict | null)?.reasons ?? [];
  };
});
beforeEach(() => {
  dns.questions.length = 0;
});

/** Sends a message from a client at this address. */
async function receive(address: string, lines: readonly string[]): Promise<void> {
  using client = await TestClient.connect(port);
  client.send(`PROXY TCP4 ${address} 10.0.0.1 56324 25\r\n`);
  await client.line();
  for (const command of [
    'HELO mx.sender.example',
    'MAIL FROM:<a@sender.example>',
    'RCPT TO:<sales@shop.example>',
  ]) {
    client.send(`${command}\r\n`);
    assert.match((await client.line()) ?? '', /^250/, command);
  }
  client.send('DATA\r\n');
  assert.match((await client.line()) ?? '', /^354/);
  client.send([...lines, '.', ''].join('\r\n'));
  assert.match((await client.line()) ?? '', /^250/);
}

/** The questions to the lists, without the ones about random names. */
const asked = () =>
  dns.questions
    .filter((question) => /(?:ip|uri)\.example$/.test(question) && !/^A [0-9a-f]{16}\./.test(question))
    .toSorted();

test('the client and the links of incoming mail are looked up, and the verdict names the lists without keys', async () => {
  const links = 'https://example.org/a https://example.com/of-ours https://example.net/of-this-server';
  await receive(CLIENT, ['From: a@sender.example', 'Subject: Offer', '', links]);
  assert.deepEqual(asked(), [
    'A 1.0.0.127.ip.example',
    'A 2.0.0.127.ip.example',
    'A 7.100.51.198.ip.example',
    'A example.org.hunter22.uri.example',
    'A invalid.hunter22.uri.example',
    'A test.hunter22.uri.example',
  ]);
  assert.deepEqual(
    (await reasons()).filter(({ rule }) => rule.includes('LISTED')),
    [
      { rule: 'DOMAIN_LISTED:uri.example', weight: 4 },
      { rule: 'ADDRESS_LISTED:ip.example', weight: 3 },
    ],
  );
});

test('the client of a trusted relay is looked up instead of the relay', async () => {
  const received =
    'Received: from mx.sender.example (mx.sender.example [198.51.100.8]) by gw.example with ESMTP';
  await receive(RELAY, [received, 'From: a@sender.example', 'Subject: Offer', '', 'Hello']);
  assert.deepEqual(asked(), ['A 8.100.51.198.ip.example']);
});
