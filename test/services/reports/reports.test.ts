import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { TestClient } from '../../../src/doors/smtp/dialogue.fixture.ts';
import { ReturnPaths } from '../../../src/reports/return-path.ts';
import { complaint, dsn } from '../../../src/reports/receive/reports.fixture.ts';
import { newUuid } from '../../../src/model/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { outboundMessage, relayTo } from '../../support/relay-to.ts';
import { type Service, startService } from '../../support/service.ts';
import { type SmtpTestServer, startSmtpServer } from '../../support/smtp-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

interface Detail {
  id: string;
  status: string;
  events: { type: string; recipient: string | null }[];
}

let smartHost: SmtpTestServer;
let hook: WebhookReceiver;
let service: Service;
before(async () => {
  smartHost = await startSmtpServer();
  hook = await startWebhookReceiver();
  service = await startService({
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${smartHost.port}` },
  });
  const { status } = await service
    .client()
    .post('/v1/webhooks', { url: hook.url, events: ['email.bounced', 'email.complained'] });
  assert.equal(status, 201);
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await hook[Symbol.asyncDispose]();
  await smartHost[Symbol.asyncDispose]();
});

/** Sends an email. @returns the id of the email, and its return path at the smart host */
async function send(recipient: string): Promise<{ id: string; returnPath: string }> {
  const { status, body } = await service.client().post<{ id: string }>('/v1/emails', {
    from: 'Acme <hello@posthorn.localhost>',
    to: [recipient],
    subject: 'Hello',
    text: 'It works.',
  });
  assert.equal(status, 202);
  const received = () => smartHost.messages.find(({ rcptTo }) => rcptTo.includes(recipient));
  assert.ok(await eventually(() => received() !== undefined, 60_000));
  assert.ok(await eventually(async () => (await read(body.id)).status === 'sent', 60_000));
  return { id: body.id, returnPath: received()?.mailFrom ?? '' };
}

const read = async (id: string): Promise<Detail> =>
  (await service.client().get<Detail>(`/v1/emails/${id}`)).body;

/** Delivers a message to the service, as another server does. */
async function report(rcptTo: string, data: Buffer) {
  await using sender = relayTo(service.smtpPort);
  const outcome = await sender.send(outboundMessage({ mailFrom: '', rcptTo, data }));
  assert.ok('reply' in outcome);
  return outcome;
}

test('a bounce report is added to the timeline of the email, and the webhook is called', async () => {
  const { id, returnPath } = await send('gone@dst.test');
  assert.match(returnPath, /^b\+[0-9a-hjkmnp-tv-z]{62}@send\.posthorn\.localhost$/);
  const { outcome, reply } = await report(returnPath, dsn({ recipient: 'gone@dst.test' }));
  assert.equal(outcome, 'accepted', reply.text);
  const detail = await read(id);
  assert.equal(detail.status, 'bounced');
  assert.equal(detail.events.at(-1)?.recipient, 'gone@dst.test');
  const [post] = await hook.waitFor(1, 60_000);
  const event = JSON.parse(post?.body ?? '') as { type: string; data: { email_id: string } };
  assert.deepEqual([event.type, event.data.email_id], ['email.bounced', id]);
});

test('an email to an address with a hard bounce fails without an attempt', async () => {
  const { id, returnPath } = await send('twice@dst.test');
  await report(returnPath, dsn({ recipient: 'twice@dst.test' }));
  assert.equal((await read(id)).status, 'bounced');
  const { body } = await service.client().post<{ id: string }>('/v1/emails', {
    from: 'hello@posthorn.localhost',
    to: ['Twice@dst.test'],
    text: 'Again.',
  });
  assert.ok(await eventually(async () => (await read(body.id)).status === 'failed', 60_000));
  assert.equal(smartHost.messages.filter(({ rcptTo }) => /^twice@/i.test(rcptTo[0] ?? '')).length, 1);
});

test('a complaint sent to the return path is added to the timeline of the email', async () => {
  const { id, returnPath } = await send('annoyed@dst.test');
  const { outcome } = await report(returnPath.toUpperCase(), complaint());
  assert.equal(outcome, 'accepted');
  assert.equal((await read(id)).status, 'complained');
});

test('a report to a forged return path is rejected at once, and changes no email', async () => {
  const { id, returnPath } = await send('forged@dst.test');
  const other = new ReturnPaths(createSecretKey(Buffer.alloc(32)));
  const changed = returnPath.replace(/^b\+(.)/, (_, first) => `b+${first === '0' ? '1' : '0'}`);
  for (const address of [
    changed,
    returnPath.slice(1),
    `r${returnPath.slice(1)}`,
    other.mint({ projectId: newUuid(), emailId: newUuid(), recipientIndex: 0 }, 'send.posthorn.localhost'),
    other.complaintAddress('send.posthorn.localhost'),
    'hostmaster@posthorn.localhost',
    'hello@posthorn.localhost',
  ]) {
    const { outcome, reply } = await report(address, dsn({ recipient: 'forged@dst.test' }));
    assert.equal(outcome, 'permanent', address);
    assert.deepEqual([reply.replyCode, reply.enhancedCode], [550, '5.1.1']);
  }
  for (const address of [returnPath.replace('send.posthorn', 'send.elsewhere'), 'someone@elsewhere.test']) {
    const { reply } = await report(address, dsn({ recipient: 'forged@dst.test' }));
    assert.deepEqual([reply.replyCode, reply.enhancedCode], [550, '5.7.1']);
  }
  // Mail to postmaster must be accepted (RFC 5321, section 4.5.1). The mail is stored for operators.
  for (const address of ['postmaster@posthorn.localhost', 'abuse@posthorn.localhost']) {
    const { outcome } = await report(address, dsn({ recipient: 'forged@dst.test' }));
    assert.equal(outcome, 'accepted', address);
  }
  assert.deepEqual(
    (await read(id)).events.map(({ type }) => type),
    ['queued', 'sending', 'sent'],
  );
});

test('mail to a mailbox is stored before the 250, and a report to a second recipient is recorded', async () => {
  const { id, returnPath } = await send('mixed@dst.test');
  const { body: domains } = await service
    .client()
    .get<{ data: { id: string; is_hosted: boolean }[] }>('/v1/domains');
  const domainId = domains.data.find(({ is_hosted }) => is_hosted)?.id;
  const { status } = await service
    .client()
    .post('/v1/mailboxes', { domain_id: domainId, local_part: 'anna' });
  assert.equal(status, 201);
  const data = dsn({ recipient: 'mixed@dst.test' });
  using client = await TestClient.connect(service.smtpPort);
  await client.line();
  const body = data.toString().replace(/^\./gm, '..');
  client.send(
    `HELO x\r\nMAIL FROM:<>\r\nRCPT TO:<${returnPath}>\r\nRCPT TO:<Anna+tag@posthorn.localhost>\r\nDATA\r\n`,
  );
  for (const code of [250, 250, 250, 250, 354])
    assert.match((await client.line()) ?? '', new RegExp(`^${code} `));
  client.send(`${body}\r\n.\r\nQUIT\r\n`);
  assert.equal(await client.line(), '250 2.6.0 Accepted');
  assert.equal((await read(id)).status, 'bounced');
  const { rows } = await sql<{ role: string; messages: number }>`
    select role, messages from folders where messages > 0`.execute(service.database);
  assert.equal(
    rows.reduce((sum, { messages }) => sum + messages, 0),
    1,
  );
});

test('return paths remain valid after a restart of the service', async () => {
  const { id, returnPath } = await send('restart@dst.test');
  const before = service.childPids();
  for (const pid of before) process.kill(pid, 'SIGTERM');
  const isBack = async () => {
    const { outcome } = await report(returnPath, dsn({ recipient: 'restart@dst.test' }));
    return outcome === 'accepted';
  };
  assert.ok(await eventually(isBack, 60_000));
  assert.ok(await eventually(async () => (await read(id).catch(() => null))?.status === 'bounced', 60_000));
});
