/** Tests mail that passes no queue, with a real SMTP server, a real mailbox, and no worker. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { environmentOf } from '../../test/support/cli.ts';
import { testCore } from '../../test/support/core.ts';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { addHostedDomain } from '../../test/support/hosted-domain.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { startSmtpServer } from '../../test/support/smtp-server.ts';
import type { ImmediateMessage } from '../alerts/email/immediate-mail.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { pauseSending } from '../queue/pause.ts';
import { dkimRecord } from '../rfc/dkim/record.ts';
import { readConfig } from './config.ts';

const HOSTED = 'hosted.example';
const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const db = stack.use(await sealedDatabase());
const { database } = db;
const server = stack.use(
  await startSmtpServer({
    reply: (stage, argument) => {
      if (stage !== 'rcpt') return undefined;
      if (argument.startsWith('gone@')) return '550 5.1.1 No such user';
      if (argument.startsWith('policy@')) return '550 5.7.1 Rejected by policy';
      return argument.startsWith('later@') ? '451 4.3.0 Try again later' : undefined;
    },
  }),
);
const dns = stack.use(
  await startDnsServer({
    'company.example': { MX: ['10 mx.company.example'] },
    'mx.company.example': { A: ['127.0.0.1'] },
    'here.example': { MX: ['10 mx.here.example'] },
  }),
);
const projectId = await newProject(database);

before(async () => {
  await addHostedDomain(db);
  const id = await newDomain(database, projectId, 'here.example', {
    status: 'verified',
    verifiedAt: new Date(),
  });
  await new Mailboxes({ database, hostedDomain: HOSTED }).create(projectId, {
    domain_id: encodeId('dom', id),
    local_part: 'ada',
    quota_mb: 1,
  });
});

function coreWith(variables: Record<string, string>) {
  return testCore(
    db,
    readConfig({
      ...environmentOf(db),
      POSTHORN_HOSTED_DOMAIN: HOSTED,
      POSTHORN_HOSTNAME: 'mx.here.example',
      POSTHORN_DNS: dns.address,
      POSTHORN_MX_PORT: String(server.port),
      ...variables,
    }),
  );
}

const DIRECT = { POSTHORN_PROVIDER: 'direct' };
const RELAY = { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` };

function message(to: string, id = newUuid()): ImmediateMessage {
  return {
    id,
    to,
    subject: 'Acme: sending is paused',
    text: 'Sending is paused.\n',
    html: '<p>Sending is paused.',
  };
}

async function queued(): Promise<number> {
  return (await database.selectFrom('queue').select('emailId').execute()).length;
}

for (const [name, provider] of [
  ['delivered directly', DIRECT],
  ['handed to a smart host', RELAY],
] as const)
  test(`mail is ${name} at once, signed by the installation, while the queue is paused and no worker runs`, async () => {
    await pauseSending(database, new Date());
    await using core = await coreWith(provider);
    const sent = message('ceo@company.example');
    const before = server.messages.length;
    const { outcome, reply } = await core.immediateMail.send(sent);
    assert.deepEqual([outcome, reply.startsWith('250 ')], ['delivered', true]);
    const received = server.messages[before];
    assert.ok(received !== undefined);
    assert.deepEqual(
      [received.mailFrom, received.rcptTo, received.helo],
      ['', ['ceo@company.example'], 'mx.here.example'],
    );
    const text = received.data.toString('latin1');
    assert.match(text, /^From: Posthorn <posthorn@hosted\.example>\r$/m);
    assert.match(text, /^Auto-Submitted: auto-generated\r$/m);
    const keys = await database
      .selectFrom('dkimKeys')
      .select(['selector', 'publicKey', 'algorithm'])
      .where('projectId', '=', HOSTED_PROJECT_ID)
      .execute();
    const { results } = await dkimVerify(received.data, {
      resolver: async (domain: string) =>
        keys
          .filter(({ selector }) => domain === `${selector}._domainkey.${HOSTED}`)
          .map(({ algorithm, publicKey }) => [dkimRecord(algorithm, publicKey)]),
    });
    assert.ok(results.length > 0);
    for (const { status } of results) assert.equal(status.result, 'pass');
    assert.equal(await queued(), 0);
  });

test('a second attempt has the same Message-ID and the same bytes', async () => {
  await using core = await coreWith(RELAY);
  const sent = message('ceo@company.example');
  const before = server.messages.length;
  await core.immediateMail.send(sent);
  await core.immediateMail.send(sent);
  const [one, other] = server.messages.slice(before).map(({ data }) => data.toString('latin1'));
  assert.equal(one, other);
  assert.match(one ?? '', /^Message-ID:\s+<svc\.[0-9a-f.]+@hosted\.example>\r$/m);
});

for (const [address, provider, outcome, reply] of [
  ['gone@company.example', DIRECT, 'no-mailbox', '550 5.1.1 No such user'],
  ['policy@company.example', DIRECT, 'permanent', '550 5.7.1 Rejected by policy'],
  ['later@company.example', DIRECT, 'temporary', '451 4.3.0 Try again later'],
  ['gone@company.example', RELAY, 'permanent', '550 5.1.1 No such user'],
  [
    'failed@company.example',
    { POSTHORN_PROVIDER: 'sandbox' },
    'permanent',
    '550 5.7.1 rejected by the sandbox',
  ],
  ['ceo@company.example', { POSTHORN_PROVIDER: 'sandbox' }, 'delivered', '250 2.0.0 accepted by the sandbox'],
] as const)
  test(`mail to ${address} with ${provider.POSTHORN_PROVIDER} is ${outcome}`, async () => {
    await using core = await coreWith(provider);
    const result = await core.immediateMail.send(message(address));
    assert.equal(result.outcome, outcome);
    assert.ok(result.reply.includes(reply.slice(4)), result.reply);
  });

test('a process without a provider reports that instead of delivering to nowhere', async () => {
  await using core = await coreWith({ POSTHORN_ENV: 'production' });
  assert.deepEqual(await core.immediateMail.send(message('ceo@company.example')), {
    outcome: 'temporary',
    reply: 'POSTHORN_PROVIDER is not set in the process that sends alerts',
  });
});

test('mail from an unverified domain is not sent', async () => {
  await using core = await coreWith({ ...RELAY, POSTHORN_MAIL_FROM: 'posthorn@unknown.example' });
  const before = server.messages.length;
  const { outcome, reply } = await core.immediateMail.send(message('ceo@company.example'));
  assert.equal(outcome, 'temporary');
  assert.match(reply, /^POSTHORN_MAIL_FROM is at unknown\.example, which no project here has verified/);
  assert.equal(server.messages.length, before);
});

test('mail to a mailbox of this installation is stored there once, as genuine mail, however often it is sent', async () => {
  await using core = await coreWith(RELAY);
  const sent = message('ada@here.example');
  const before = server.messages.length;
  for (const _ of [1, 2]) assert.equal((await core.immediateMail.send(sent)).outcome, 'delivered');
  const rows = await database
    .selectFrom('messages')
    .select('objectId')
    .where('projectId', '=', projectId)
    .execute();
  assert.deepEqual(rows, [{ objectId: sent.id }]);
  assert.equal(server.messages.length, before);
});
