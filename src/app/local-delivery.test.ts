/**
 * Tests which project receives mail, with the real SMTP port and the real worker. Attack: a project adds another owner's domain with a
 * catch-all mailbox and waits for mail. Also tests reports of success and redirected messages, with the real ports.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { environmentOf } from '../../test/support/cli.ts';
import { testCore } from '../../test/support/core.ts';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { passTime } from '../../test/support/queue-rows.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { startSmtpServer } from '../../test/support/smtp-server.ts';
import { readProjectSettings } from '../accounts/projects/project-settings.ts';
import { wakeQueue } from '../db/notify.ts';
import { noteVerified } from '../domains/first-verified.ts';
import { ensureHostedDomain } from '../domains/hosted.ts';
import { recordMx } from '../domains/mx/record-mx.ts';
import { TestClient } from '../doors/smtp/dialogue.fixture.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { encodeId } from '../model/ids.ts';
import { readConfig } from './config.ts';
import { startTestRoles } from './roles.fixture.ts';

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const folder = mkdtempSync(join(tmpdir(), 'posthorn-takeover-'));
stack.defer(() => rmSync(folder, { recursive: true }));
const db = stack.use(await sealedDatabase());
const { database } = db;
const elsewhere = stack.use(await startSmtpServer());
const PASSWORD = 'correct horse battery staple';
const HERE = { MX: ['10 mx.here.example'] };
const dns = stack.use(
  await startDnsServer({
    'shop.example': HERE,
    'fresh.example': HERE,
    'lost.example': { fault: 'servfail' },
    'bank.example': { MX: ['10 mx.bank.example'] },
    'proven.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
    'moved.example': { MX: ['10 mx.bank.example'] },
    'mx.here.example': { A: ['127.0.0.1'] },
    'mx.bank.example': { A: ['127.0.0.1'] },
  }),
);
const config = readConfig({
  ...environmentOf(db),
  POSTHORN_DATA: folder,
  POSTHORN_HOSTNAME: 'mx.here.example',
  POSTHORN_SMTP_PORT: '0',
  POSTHORN_SUBMISSION_PORT: '0',
  POSTHORN_SUBMISSIONS_PORT: '0',
  POSTHORN_PROVIDER: 'direct',
  POSTHORN_DNS: dns.address,
  POSTHORN_MX_PORT: String(elsewhere.port),
});
let smtpPort = 0;
let submissionPort = 0;
const [owner, thief] = [await newProject(database), await newProject(database)];

before(async () => {
  await ensureHostedDomain(database, db.sealer, config.hostedDomain);
  await addMailbox(owner, 'shop.example', 'sales', { status: 'verified', verifiedAt: new Date() });
  const lost = await addMailbox(owner, 'lost.example', 'sales', {});
  await noteVerified(database, { projectId: owner, id: lost }, new Date());
  for (const name of ['shop.example', 'lost.example', 'bank.example'])
    await addMailbox(thief, name, 'sales', {}, true);
  const roles = stack.use(await startTestRoles(db, config, ['smtp', 'submission', 'worker']));
  smtpPort = roles.ports.smtp ?? 0;
  submissionPort = roles.ports.submission ?? 0;
});

/** @returns the uuid of the project's claim to the domain */
async function addMailbox(
  projectId: string,
  domain: string,
  local_part: string,
  claim: Parameters<typeof newDomain>[3],
  is_catch_all = false,
): Promise<string> {
  const id = await newDomain(database, projectId, domain, claim);
  await new Mailboxes({ database, hostedDomain: config.hostedDomain }).create(projectId, {
    domain_id: encodeId('dom', id),
    local_part,
    is_catch_all,
    quota_mb: 1,
    password: PASSWORD,
  });
  return id;
}

/** Accepts an email of a project. */
async function send(projectId: string, to: string[]): Promise<void> {
  await using core = await testCore(db, config);
  const sender = { projectId, ...(await readProjectSettings(database, projectId)), restrictions: null };
  const email = { from: `hello@${config.hostedDomain}`, to, subject: 'Plans', text: 'Secret' };
  await core.acceptor.accept(sender, email, null, null);
}

/** @returns a function that sends a command and returns the reply */
async function greet(client: TestClient): Promise<(command: string) => Promise<string>> {
  const say = async (text: string): Promise<string> => {
    client.send(`${text}\r\n`);
    return (await client.line()) ?? '';
  };
  await client.line();
  await say('HELO mx.sender.example');
  return say;
}

/** The submissions of a kind, oldest first, with their bytes. */
async function submissionsOf(projectId: string, kind: 'report' | 'submitted') {
  const rows = await database
    .selectFrom('submissions')
    .innerJoin('submissionRecipients as r', (join) =>
      join.onRef('r.projectId', '=', 'submissions.projectId').onRef('r.submissionId', '=', 'submissions.id'),
    )
    .select(['reversePath', 'fromDomain', 'digest', 'address'])
    .where('submissions.projectId', '=', projectId)
    .where('kind', '=', kind)
    .orderBy('submissions.id')
    .execute();
  await using core = await testCore(db, config);
  return await Promise.all(
    rows.map(async ({ digest, ...row }) => ({
      ...row,
      text: ((await (await core.blobs.open(projectId, digest))?.read()) ?? '').toString(),
    })),
  );
}

async function messagesOf(projectId: string): Promise<number> {
  const rows = await database
    .selectFrom('messages')
    .select('objectId')
    .where('projectId', '=', projectId)
    .execute();
  return rows.length;
}

test('incoming mail is delivered only to the project with the verified claim, and otherwise rejected with a code that names the reason', async () => {
  using client = await TestClient.connect(smtpPort);
  const say = await greet(client);
  await say('MAIL FROM:<ceo@sender.example>');
  for (const [address, reply] of [
    ['sales@shop.example', /^250 /],
    ['someone@shop.example', /^550 5\.1\.1 /],
    ['sales@lost.example', /^451 4\.4\.4 /],
    ['someone@lost.example', /^451 4\.4\.4 /],
    ['sales@bank.example', /^550 5\.7\.1 /],
    ['someone@bank.example', /^550 5\.7\.1 /],
  ] as const)
    assert.match(await say(`RCPT TO:<${address}>`), reply, address);
  assert.match(await say('DATA'), /^354/);
  client.send('From: ceo@sender.example\r\nSubject: Plans\r\n\r\nSecret\r\n');
  assert.match(await say('.'), /^250/);
  assert.deepEqual([await messagesOf(owner), await messagesOf(thief)], [1, 0]);
});

test('outgoing mail is delivered to the project with the verified claim, otherwise to the MX, even if the thief sends it', async () => {
  const before = await messagesOf(owner);
  const local = ['sales@shop.example'];
  const outside = ['sales@bank.example', 'someone@bank.example'];
  // The MX of shop.example is this installation, but it has no mailbox with this address.
  const nowhere = ['someone@shop.example'];
  for (const projectId of [owner, thief]) await send(projectId, [...local, ...outside, ...nowhere]);
  const sent = () => elsewhere.messages.flatMap(({ rcptTo }) => rcptTo).sort();
  const expected = [...outside, ...outside].sort();
  const isDone = async () =>
    sent().length === expected.length && (await messagesOf(owner)) === before + 2 * local.length;
  assert.ok(await eventually(isDone, 30_000), `${sent().join(' ')}; ${await messagesOf(owner)}`);
  assert.deepEqual(sent(), expected);
  assert.equal(await messagesOf(thief), 0);
});

test('mail for a domain whose MX has moved away is delivered once to the new MX, and the timeline says that the MX has moved', async () => {
  const id = await addMailbox(owner, 'moved.example', 'sales', { status: 'verified' });
  const claim = { projectId: owner, id, name: 'moved.example' };
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (const [exchange, minutes] of [
    [config.hostname, 40],
    ['mx.bank.example', 30],
    ['mx.bank.example', 10],
  ] as const) {
    const answer = { outcome: 'found', records: [{ priority: 10, exchange }] } as const;
    await recordMx(database, claim, [config.hostname], answer, minutesAgo(minutes));
  }
  const to = 'sales@moved.example';
  await send(owner, [to]);
  const delivered = () =>
    database
      .selectFrom('events')
      .select(sql<string>`detail->>'note'`.as('note'))
      .where('type', '=', 'delivered')
      .where(sql<string>`detail->>'note'`, 'like', '%moved.example%')
      .execute();
  assert.ok(await eventually(async () => (await delivered()).length === 1, 30_000));
  assert.equal(
    (await delivered())[0]?.note,
    'The MX of moved.example moved to mx.bank.example, so the message is sent there',
  );
  assert.equal(elsewhere.messages.filter(({ rcptTo }) => rcptTo.includes(to)).length, 1);
});

test('mail for a domain whose MX has just moved to this installation is deferred until the next DNS check, then delivered', async () => {
  const id = await addMailbox(owner, 'fresh.example', 'sales', { status: 'verified' });
  const claim = { projectId: owner, id, name: 'fresh.example' };
  const answer = { outcome: 'found', records: [{ priority: 10, exchange: 'mx.other.example' }] } as const;
  await recordMx(database, claim, [config.hostname], answer, new Date());
  const before = await messagesOf(owner);
  await send(owner, ['sales@fresh.example']);
  const isDeferred = async () =>
    (await database.selectFrom('events').select('id').where('type', '=', 'deferred').execute()).length === 1;
  assert.ok(await eventually(isDeferred, 30_000));
  await sql`
    update domain_mx set asked_at = asked_at - interval '1 hour', answered_at = answered_at - interval '1 hour'
    where domain_id = ${id}`.execute(database);
  await passTime(database, '1 hour');
  await wakeQueue(database);
  assert.ok(await eventually(async () => (await messagesOf(owner)) === before + 1, 30_000));
});

test('a sender whose return path is proven gets the report of success that it requested at the SMTP port', async () => {
  for (const [domain, count] of [
    ['sender.example', 0],
    ['proven.example', 1],
  ] as const) {
    using client = await TestClient.connect(smtpPort);
    const say = await greet(client);
    client.send('EHLO mx.sender.example\r\n');
    for (let line = await client.line(); line?.startsWith('250-'); line = await client.line());
    assert.match(await say(`MAIL FROM:<ceo@${domain}> ENVID=QQ42`), /^250/);
    assert.match(await say('RCPT TO:<sales@shop.example> NOTIFY=SUCCESS ORCPT=rfc822;s@x.example'), /^250/);
    assert.match(await say('DATA'), /^354/);
    client.send(`From: ceo@${domain}\r\nSubject: Plans\r\n\r\nSecret\r\n`);
    assert.match(await say('.'), /^250/);
    assert.equal((await submissionsOf(owner, 'report')).length, count, domain);
  }
  const [{ text, ...envelope } = assert.fail('there is no report')] = await submissionsOf(owner, 'report');
  assert.deepEqual(envelope, {
    reversePath: '',
    fromDomain: 'shop.example',
    address: 'ceo@proven.example',
  });
  assert.match(text, /Original-Envelope-Id: QQ42(.|\r\n)*Original-Recipient: rfc822; ?s@x\.example/);
});

test('a message that a mailbox redirects at the submission port is checked, and gets the results', async () => {
  using client = await TestClient.connect(submissionPort);
  const say = await greet(client);
  client.send('EHLO app.example\r\n');
  for (let line = await client.line(); line?.startsWith('250-'); line = await client.line());
  const login = Buffer.from(`\0sales@shop.example\0${PASSWORD}`).toString('base64');
  assert.match(await say(`AUTH PLAIN ${login}`), /^235/);
  for (const [author, reply] of [
    ['ceo@shop.example', /^550 5\.7\.1 Mail from shop\.example needs a valid DKIM signature/],
    ['ceo@elsewhere.example', /^250/],
  ] as const) {
    assert.match(await say('MAIL FROM:<sales@shop.example>'), /^250/);
    assert.match(await say('RCPT TO:<sales@shop.example>'), /^250/);
    assert.match(await say('DATA'), /^354/);
    client.send(`Resent-From: sales@shop.example\r\nFrom: ${author}\r\nSubject: Plans\r\n\r\nSecret\r\n`);
    assert.match(await say('.'), reply);
  }
  const [{ text } = assert.fail('nothing was submitted')] = await submissionsOf(owner, 'submitted');
  assert.match(
    text,
    /^Authentication-Results: mx\.here\.example;(.|\r\n)*dmarc=none header\.from=elsewhere\.example/,
  );
});
