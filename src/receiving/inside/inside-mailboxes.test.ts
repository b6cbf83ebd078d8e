import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newAlias, newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newDomain, newProject } from '../../../test/support/projects.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';
import { newUuid } from '../../model/ids.ts';
import type { OutboundMessage } from '../../sending/deliver/provider.ts';
import { Store } from '../../store/store.ts';
import type { Delivery } from '../route/router.ts';
import type { Filed } from '../file/message-filer.ts';
import type { MailFromOutside } from '../file/mail-from-outside.ts';
import { InsideMailboxes } from './inside-mailboxes.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const taken: MailFromOutside[] = [];
const recipients: Delivery[] = [];
let answer: Filed = 'accepted';
const inside = () =>
  new InsideMailboxes({
    database: db.database,
    hostname: 'mx.example',
    hostedDomain: 'hosted.example',
    filer: async () => ({
      file: async (mail, deliveries) => {
        taken.push(mail);
        recipients.push(...deliveries);
        return answer;
      },
    }),
  });

interface Made {
  projectId: string;
  mailboxId: string;
  domain: string;
  address: string;
}

/** A mailbox on a domain of its own. @param mx what DNS said of its MX records when it was last asked */
async function make(status: 'pending' | 'verified' | 'warning', mx: string | null): Promise<Made> {
  const mailbox = await newMailbox(db.database);
  const { domain } = await db.database
    .selectFrom('mailboxes')
    .select('domain')
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  const checks = mx === null ? null : JSON.stringify({ [`MX ${domain}`]: { status: mx } });
  await sql`update domains set status = ${status}, checks = ${checks} where name = ${domain}`.execute(
    db.database,
  );
  return { ...mailbox, domain, address: `Anna+tag@${domain}` };
}

const message = (over: Partial<OutboundMessage> = {}): OutboundMessage => ({
  projectId: newUuid(),
  emailId: newUuid(),
  mailFrom: 'bounces@send.shop.example',
  rcptTo: 'anna@acme.example',
  messageId: '<1@shop.example>',
  data: Buffer.from('Subject: hi\r\n\r\nhi\r\n'),
  smtputf8: false,
  attempt: 1,
  mayCommit: () => true,
  ...over,
});

for (const [status, mx, others, own] of [
  ['verified', 'verified', true, true],
  ['warning', 'verified', true, true],
  ['verified', 'failed', false, true],
  ['verified', null, false, true],
  // Anybody may add a domain that is not theirs, and say what they like of it.
  ['pending', 'verified', false, true],
  ['pending', null, false, true],
] as const)
  test(`a ${status} claim whose MX is ${mx ?? 'not known'} gets the mail of ${others ? 'all projects' : 'its own project alone'}`, async () => {
    const { projectId, address, domain } = await make(status, mx);
    const here = inside();
    assert.equal((await here.find(newUuid(), address)) !== null, others);
    assert.equal((await here.find(projectId, address)) !== null, own);
    assert.equal(await here.find(projectId, `bob@${domain}`), null);
    assert.equal(await here.find(projectId, `an%na@${domain}`), null);
    assert.equal(await here.find(projectId, 'anna@elsewhere.example'), null);
  });

test('the hosted domain gets the mail of all projects, and a claim of somebody on its name nothing', async () => {
  const { mailboxId, domain } = await make('pending', null);
  await sql`update domains set project_id = ${HOSTED_PROJECT_ID}, name = 'hosted.example' where name = ${domain}`.execute(
    db.database,
  );
  await sql`update mailboxes set domain = 'hosted.example' where id = ${mailboxId}`.execute(db.database);
  assert.notEqual(await inside().find(newUuid(), 'anna@Hosted.example'), null);
  assert.equal(await inside().find(newUuid(), 'postmaster@hosted.example'), null);
});

test("a project's claim that nobody verified never gets what others have verified", async () => {
  const verified = await make('verified', 'verified');
  const thief = await make('pending', null);
  const { rows } = await sql<{ id: string }>`
    update domains set name = ${verified.domain} where name = ${thief.domain} returning id`.execute(
    db.database,
  );
  assert.equal(rows.length, 1);
  taken.length = 0;
  const place = await inside().find(thief.projectId, verified.address);
  await place?.handOver(message());
  assert.equal(taken.length, 1);
});

test('a catch-all gets what no mailbox has', async () => {
  const { projectId, mailboxId, domain } = await make('pending', null);
  await sql`update mailboxes set is_catch_all = true where id = ${mailboxId}`.execute(db.database);
  assert.notEqual(await inside().find(projectId, `anybody@${domain}`), null);
});

const traced = (results: string) =>
  Buffer.from(
    `ARC-Seal: i=1; b=x\r\nDelivered-To: a@b.example\r\nReceived: from mail.sender.example (mail.sender.example [192.0.2.7])\r\n\tby mx.example;\r\n\tnow\r\nAuthentication-Results: mx.example;\r\n\t${results}\r\nReceived: from forged ([192.0.2.9])\r\nDKIM-Signature: d=bank.example\r\nFrom: x@bank.example\r\n\r\nhi\r\n`,
  );

for (const [name, data, isForwarded, isOwn, origin] of [
  [
    'came from outside',
    traced('spf=pass smtp.mailfrom=sender.example; dkim=fail'),
    true,
    false,
    { address: '192.0.2.7', helo: 'mail.sender.example', mailFrom: 'postmaster@sender.example' },
  ],
  [
    'was a report from outside',
    traced('spf=pass smtp.helo=mail.sender.example; dkim=none'),
    true,
    false,
    { address: '192.0.2.7', helo: 'mail.sender.example', mailFrom: '' },
  ],
  ['a project here sent', traced('auth=pass smtp.mailfrom=acme.example; dkim=none'), true, true, undefined],
  [
    'nobody knows anything of',
    Buffer.from('Subject: x\r\n\r\n'),
    true,
    false,
    { address: '', helo: '', mailFrom: '' },
  ],
  ['is not forwarded', traced('spf=pass smtp.mailfrom=sender.example'), false, true, undefined],
] as const)
  test(`mail that ${name} is ${isOwn ? 'genuine' : 'examined as what came first'}`, async () => {
    const { projectId, address } = await make('pending', null);
    taken.length = 0;
    const place = await inside().find(projectId, address);
    await place?.handOver(message({ data, isForwarded }));
    assert.deepEqual([taken[0]?.isOwn, taken[0]?.origin], [isOwn, origin]);
  });

test('an alias hands over to all of its mailboxes that have room, on a domain without any mailbox too', async () => {
  const { projectId, mailboxId, domain } = await make('pending', null);
  const other = await newMailbox(db.database, { projectId });
  const aliasDomain = `alias-${domain}`;
  const domainId = await newDomain(db.database, projectId, aliasDomain);
  const mailboxes = [{ projectId, mailboxId }, other] as const;
  await newAlias(db.database, 'Team', mailboxes, { domainId, domain: aliasDomain });
  const reached = async () => {
    taken.length = 0;
    recipients.length = 0;
    await (await inside().find(projectId, `team+x@${aliasDomain}`))?.handOver(message());
    return recipients.map((one) => one.mailbox.mailboxId).sort();
  };
  assert.deepEqual(await reached(), [mailboxId, other.mailboxId].sort());
  assert.deepEqual([taken.length, recipients[0]?.address], [1, `team+x@${aliasDomain}`]);
  assert.equal(await inside().find(newUuid(), `team@${aliasDomain}`), null);
  await new Store(db.database).ensureFolders([other]);
  await sql`update mailbox_states set octets = 1024::bigint * 1048576 where mailbox_id = ${other.mailboxId}`.execute(
    db.database,
  );
  assert.deepEqual(await reached(), [mailboxId]);
});

test('a mailbox says what the listener for mail from outside would say', async () => {
  const { projectId, mailboxId, address } = await make('pending', null);
  const hand = async () => {
    const place = await inside().find(projectId, address);
    const { replyCode, enhancedCode } = (await place?.handOver(message())) ?? {};
    return `${replyCode} ${enhancedCode}`;
  };
  for (const [filed, reply] of [
    ['accepted', '250 2.0.0'],
    ['mailboxFull', '452 4.2.2'],
    ['loop', '554 5.4.6'],
    [{ refused: '5.7.1 the message looks like spam' }, '550 5.7.1'],
  ] as const) {
    answer = filed;
    assert.equal(await hand(), reply);
  }
  answer = 'accepted';
  await new Store(db.database).ensureFolders([{ projectId, mailboxId }]);
  await sql`update mailbox_states set octets = 1024::bigint * 1048576 where mailbox_id = ${mailboxId}`.execute(
    db.database,
  );
  assert.equal(await hand(), '452 4.2.2');
  await sql`update mailbox_states set full_since = now() - interval '25 hours' where mailbox_id = ${mailboxId}`.execute(
    db.database,
  );
  assert.equal(await hand(), '552 5.2.2');
});

test('the bytes are those that would go out, and the email is its own name, so that it is there once', async () => {
  const { projectId, mailboxId, address } = await make('pending', null);
  taken.length = 0;
  const sent = message({ projectId });
  await (await inside().find(projectId, address))?.handOver(sent);
  assert.deepEqual([taken[0]?.raw, taken[0]?.objectId, taken[0]?.isOwn], [sent.data, sent.emailId, true]);

  const store = new Store(db.database);
  const objectId = newUuid();
  const stored = { ...newMessage({ projectId, mailboxId }), objectId };
  const other = await newMailbox(db.database, { projectId: await newProject(db.database) });
  const results = [
    ...(await store.append([stored, stored])),
    ...(await store.append([stored, { ...newMessage(other), objectId }])),
  ];
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['stored', 'already-there', 'already-there', 'stored'],
  );
  const [inbox] = (await store.folders({ projectId, mailboxId })).filter(({ role }) => role === 'inbox');
  assert.equal(inbox?.messages, 1);
});
