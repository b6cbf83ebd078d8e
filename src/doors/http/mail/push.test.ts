/** Notifications of new mail, sent to a push service of the test that decrypts them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import {
  claimsOf,
  type PushBehavior,
  type PushService,
  startPushService,
} from '../../../../test/support/push-service.ts';
import type { PushSettings, PushTest } from '../../../contract/mail/push.ts';
import { GuardedClient } from '../../../net/guarded-client.ts';
import { FLAG } from '../../../store/flags.ts';
import { PushKey } from '../../../webmail/push/push-key.ts';
import { PushSender } from '../../../webmail/push/push-sender.ts';
import { startMailClient, type TestMailClient, type TestOwner } from './mail-client.fixture.ts';

let mail: TestMailClient;
let service: PushService;
let key: PushKey;
let client: GuardedClient;
before(async () => {
  mail = await startMailClient();
  service = await startPushService();
  key = new PushKey(mail.db.database, mail.sealer);
  client = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 4 });
});
after(async () => {
  await client[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

const errors: unknown[] = [];
/** A process that sends notifications. The first pass checks all subscriptions. */
const newSender = () =>
  new PushSender({
    database: mail.db.database,
    sealer: mail.sealer,
    key,
    client,
    subject: () => 'https://posthorn.example',
    timings: { requestMs: 1_000 },
    logger: { error: (...error: unknown[]) => void errors.push(error) },
  });
const sendDue = async () => {
  await newSender().send();
  assert.deepEqual(errors, []);
};

/** Subscribes the browser of a session. */
async function subscribe(owner: TestOwner, content: 'bare' | 'content' = 'content') {
  const { body: settings } = await owner.get<PushSettings>('/push');
  const browser = service.newBrowser();
  const request = { ...browser.subscription, public_key: settings.public_key, content };
  assert.equal((await owner.put('/push', request)).status, 204);
  return { ...browser, request, publicKey: settings.public_key };
}

/** Lets the pause between two notifications, or before the next attempt, pass. */
const passPause = (owner: TestOwner) =>
  sql`update push_subscriptions set next_at = now() where mailbox_id = ${owner.mailboxId}`.execute(
    mail.db.database,
  );
const subscriptionsOf = async (owner: TestOwner) =>
  (
    await sql<{ attempts: number; waitS: number }>`
      select attempts, extract(epoch from next_at - now())::float8 as wait_s from push_subscriptions
      where mailbox_id = ${owner.mailboxId} order by created_at`.execute(mail.db.database)
  ).rows;

const LUNCH = 'From: Grace Hopper <grace@elsewhere.example>\r\nSubject: Lunch\r\n\r\nAt noon?';

test('new mail in the Inbox is reported once to each browser, encrypted, signed, and with as much as its user chose', async () => {
  const owner = await mail.newOwner('noon');
  await mail.deliver(owner, 'inbox', 'Subject: Old\r\n\r\nWas here before.');
  const full = await subscribe(owner);
  const bare = await subscribe(await mail.signIn(owner), 'bare');
  await sendDue();
  assert.deepEqual(full.messages(), []);
  const objectId = await mail.deliver(owner, 'inbox', LUNCH);
  await Promise.all([newSender().send(), newSender().send(), newSender().send()]);
  const [message, ...more] = full.messages();
  assert.deepEqual(more, []);
  assert.ok(message?.target);
  const { target, ...rest } = message;
  assert.deepEqual(rest, {
    kind: 'mail',
    mailbox: owner.mailbox,
    address: owner.address,
    unread: 2,
    count: 1,
    shown: { from: 'Grace Hopper', subject: 'Lunch' },
  });
  assert.deepEqual(bare.messages(), [{ ...message, shown: null }]);
  const { data } = (
    await owner.get<{ data: { id: string; message_ids: string[] }[] }>(
      `/conversations?folder=${target.folder}`,
    )
  ).body;
  assert.deepEqual([target.conversation, target.messages], [data[0]?.id, data[0]?.message_ids], objectId);
  const { headers, body } = service.received[0] ?? assert.fail();
  assert.ok(!body.includes('Lunch') && !body.includes('noon@'));
  assert.equal(headers['content-encoding'], 'aes128gcm');
  assert.equal(headers['ttl'], '86400');
  assert.match(headers['topic'] as string, /^[\w-]{32}$/);
  const claims = claimsOf(headers.authorization ?? '', full.publicKey);
  assert.deepEqual([claims['aud'], claims['sub']], [service.url, 'https://posthorn.example']);
  assert.deepEqual(new Set(service.received.map((each) => each.body.length)).size, 1);
});

test('mail that is read, moved, imported, in another folder or deleted at once is not reported', async () => {
  const owner = await mail.newOwner('quiet');
  const { messages } = await subscribe(owner);
  await mail.deliver(owner, 'inbox', LUNCH, FLAG.seen);
  await mail.deliver(owner, 'inbox', LUNCH, FLAG.deleted);
  await mail.deliver(owner, 'junk', LUNCH);
  await mail.deliver(owner, 'archive', LUNCH);
  await sql`update messages set internal_date = now() - interval '2 hours' where mailbox_id = ${owner.mailboxId}`.execute(
    mail.db.database,
  );
  await sendDue();
  assert.deepEqual(messages(), []);
});

test('mail that arrives in the pause after a notification is in the next one', async () => {
  const owner = await mail.newOwner('pause');
  const { messages } = await subscribe(owner);
  await mail.deliver(owner, 'inbox', LUNCH);
  await sendDue();
  await mail.deliver(owner, 'inbox', 'Subject: Two\r\n\r\nA');
  await mail.deliver(owner, 'inbox', 'Subject: Three\r\n\r\nB');
  await sendDue();
  assert.equal(messages().length, 1);
  await passPause(owner);
  await sendDue();
  assert.deepEqual(
    messages().map(({ count, shown, target }) => [count, shown?.subject, target !== null]),
    [
      [1, 'Lunch', true],
      [2, 'Three', false],
    ],
  );
});

test('the sender and the subject are one short line without characters that turn the direction of text around', async () => {
  const owner = await mail.newOwner('hostile');
  const { messages } = await subscribe(owner);
  const subject = `=?utf-8?B?${Buffer.from(`A\u202eB\u2066\n${'x'.repeat(5_000)}`).toString('base64')}?=`;
  await mail.deliver(
    owner,
    'inbox',
    `From: =?utf-8?B?${Buffer.from('Bank\u202e').toString('base64')}?= <a@b.example>\r\nSubject: ${subject}\r\n\r\nx`,
  );
  await sendDue();
  const [message] = messages();
  assert.equal(message?.shown?.from, 'Bank');
  assert.match(message?.shown?.subject ?? '', /^A B x{100,}…$/);
});

const ENDINGS: readonly { behavior: PushBehavior; left: number; attempts?: number; waitS?: number }[] = [
  { behavior: { status: 201 }, left: 1, attempts: 0 },
  { behavior: { status: 404 }, left: 0 },
  { behavior: { status: 410 }, left: 0 },
  { behavior: { status: 403 }, left: 0 },
  {
    behavior: { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    left: 1,
    attempts: 1,
    waitS: 30,
  },
  { behavior: { status: 500 }, left: 1, attempts: 1, waitS: 30 },
  { behavior: { status: 429 }, left: 1, attempts: 1, waitS: 30 },
  { behavior: { status: 429, headers: { 'retry-after': '120' } }, left: 1, attempts: 1, waitS: 120 },
  { behavior: { status: 429, headers: { 'retry-after': '9999999' } }, left: 1, attempts: 1, waitS: 3_600 },
  { behavior: 'silence', left: 1, attempts: 1, waitS: 30 },
  { behavior: 'endless', left: 1, attempts: 0 },
];
for (const [at, { behavior, left, attempts, waitS }] of ENDINGS.entries()) {
  test(`a push service that answers with ${JSON.stringify(behavior)} ${left === 0 ? 'ends the subscription' : `leaves it, with ${attempts} failures`}`, async (t) => {
    service.answerWith(behavior);
    t.after(() => service.answerWith({ status: 201 }));
    const owner = await mail.newOwner(`ending${at}`);
    const { messages } = await subscribe(owner);
    await mail.deliver(owner, 'inbox', LUNCH);
    await sendDue();
    assert.equal(messages().length, 1);
    const found = await subscriptionsOf(owner);
    assert.equal(found.length, left);
    if (left === 1) assert.equal(found[0]?.attempts, attempts);
    if (waitS !== undefined) assert.ok(Math.abs((found[0]?.waitS ?? 0) - waitS) < 20, `${found[0]?.waitS}`);
    const { body } = await owner.get<PushSettings>('/push');
    assert.equal(body.content, left === 0 ? null : 'content');
  });
}

test('a failed notification is sent again a few times, and then dropped', async (t) => {
  service.answerWith({ status: 503 });
  t.after(() => service.answerWith({ status: 201 }));
  const owner = await mail.newOwner('retried');
  const { messages } = await subscribe(owner);
  await mail.deliver(owner, 'inbox', LUNCH);
  for (let attempt = 0; attempt < 6; attempt++) {
    await sendDue();
    await passPause(owner);
  }
  assert.equal(messages().length, 4);
  service.answerWith({ status: 201 });
  await mail.deliver(owner, 'inbox', 'Subject: Next\r\n\r\nx');
  await sendDue();
  assert.deepEqual([messages().length, messages().at(-1)?.shown?.subject], [5, 'Next']);
});

test('a subscription ends with its session, and cannot be used after a new password', async () => {
  const owner = await mail.newOwner('ends');
  const other = await mail.signIn(owner);
  const first = await subscribe(owner);
  const second = await subscribe(other);
  await mail.db.database.deleteFrom('webSessions').where('id', '=', owner.sessionId).execute();
  assert.equal((await subscriptionsOf(owner)).length, 1);
  await sql`update mailboxes set password_hash = 'another' where id = ${owner.mailboxId}`.execute(
    mail.db.database,
  );
  await mail.deliver(owner, 'inbox', LUNCH);
  await sendDue();
  assert.deepEqual([first.messages(), second.messages()], [[], []]);
});

test('the test notification says whether the push service accepted it, at most every five seconds', async () => {
  const owner = await mail.newOwner('tests');
  assert.equal((await owner.post('/push/test')).status, 404);
  const { messages } = await subscribe(owner);
  const { status, body } = await owner.post<PushTest>('/push/test');
  assert.deepEqual([status, body], [200, { delivered: true, error: null }]);
  assert.deepEqual(
    messages().map(({ kind }) => kind),
    ['test'],
  );
  assert.equal((await owner.post('/push/test')).status, 429);
  assert.equal((await owner.delete('/push')).status, 204);
  assert.equal((await owner.get<PushSettings>('/push')).body.content, null);
});

test('only a valid subscription with the current key is accepted', async () => {
  const owner = await mail.newOwner('strict');
  const { request } = await subscribe(owner);
  for (const wrong of [
    { endpoint: 'ftp://push.example/' },
    { endpoint: 'https://user:secret@push.example/' },
    { endpoint: `https://push.example/${'a'.repeat(1_000)}` },
    { p256dh: Buffer.alloc(65, 4).toString('base64url') },
    { p256dh: '' },
    { auth: 'AAAA' },
    { public_key: 'AAAA' },
    { content: 'all' },
  ])
    assert.equal((await owner.put('/push', { ...request, ...wrong })).status, 422, JSON.stringify(wrong));
});

test('after the key was replaced, old subscriptions get nothing and count as none', async () => {
  const owner = await mail.newOwner('rotated');
  const { messages, publicKey } = await subscribe(owner);
  await mail.db.database.deleteFrom('settings').where('name', '=', 'push_key').execute();
  const { body } = await owner.get<PushSettings>('/push');
  assert.equal(body.content, null);
  assert.notEqual(body.public_key, publicKey);
  await mail.deliver(owner, 'inbox', LUNCH);
  await sendDue();
  assert.deepEqual([messages(), await subscriptionsOf(owner)], [[], []]);
});
