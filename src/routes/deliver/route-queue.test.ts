import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { newMailbox } from '../../../test/support/mail.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { messagesOf, newRoute, type TestRoute } from '../../../test/support/routes.ts';
import { startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { Blobs } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import { writingBlobs } from '../../blobs/prepared-blob.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { GuardedClient } from '../../net/guarded-client.ts';
import { unsentOutcome } from '../../webhooks/deliver/attempt-outcome.ts';
import { ClaimLease } from '../../webhooks/deliver/claim-lease.ts';
import { DeliverySender } from '../../webhooks/deliver/delivery-sender.ts';
import { MessageFormatter } from '../formats/message-formatter.ts';
import { RouteLinks } from '../formats/route-links.ts';
import { replayMessage } from '../replay-message.ts';
import { BUSY } from './post-message.ts';
import { ROUTE_TIMINGS, routeQueue } from './route-queue.ts';

const db = await sealedDatabase();
const folder = mkdtempSync(join(tmpdir(), 'posthorn-routes-'));
const blobs = new Blobs(db.database, new ObjectFiles(folder));
const formatter = new MessageFormatter();
after(async () => {
  await formatter[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const RAW =
  'From: b@sender.example\r\nSubject: Hello\r\nAuto-Submitted: auto-replied\r\n\r\nHow are you?\r\n';

const AUTHENTICATION = {
  spf: { result: 'pass', domain: 'sender.example' },
  dkim: [],
  dmarc: { result: 'pass', domain: 'sender.example', published: 'none' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: 'mail.sender.example' },
  policy: 'none',
};

/** Stores a pending message of a route. @returns its id */
async function addMessage({ projectId, routeId }: TestRoute, fields: { attempts?: number } = {}) {
  const blob = await blobs.prepare(projectId, Buffer.from(RAW));
  const id = newUuid();
  await sql`with ${writingBlobs([blob]).sql} select`.execute(db.database);
  await db.database
    .insertInto('routeMessages')
    .values({
      projectId,
      routeId,
      id,
      dedupe: Buffer.from(id),
      digest: blob.digest,
      octets: blob.size,
      reversePath: 'b@sender.example',
      recipients: ['support@acme.example'],
      clientAddress: '192.0.2.1',
      helo: 'mail.sender.example',
      author: 'b@sender.example',
      subject: 'Hello',
      authentication: JSON.stringify(AUTHENTICATION),
      spam: '{"score":0,"reasons":[]}',
      status: 'pending',
      nextAttemptAt: new Date(),
      expiresAt: new Date(),
      ...fields,
    })
    .execute();
  return id;
}

const logger = pino({ level: 'fatal' });
const newQueue = () =>
  routeQueue({
    database: db.database,
    sealer: db.sealer,
    logger,
    blobs,
    client: new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 100 }),
    formatter,
    links: new RouteLinks(createSecretKey(Buffer.alloc(32)), () => 'http://localhost'),
  });

function startSender(): AsyncDisposable & { wake(): void } {
  const options = { database: db.database, logger, isPaused: () => false, timings: ROUTE_TIMINGS };
  const sender = new DeliverySender(newQueue(), options);
  sender.wake();
  return sender;
}

const statusOf = async (route: TestRoute) =>
  (await messagesOf(db.database, route)).map(({ status, attempts }) => `${status} ${attempts}`);

const routeRow = ({ routeId }: TestRoute) =>
  db.database.selectFrom('routes').selectAll().where('id', '=', routeId).executeTakeFirstOrThrow();

test('a message is posted with its bytes, signed, with the credentials of the URL', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 201, body: 'thanks' } });
  const route = await newRoute(db.database, db.sealer, {
    url: receiver.url,
    credentials: 'actionmailbox:s3cret',
  });
  const id = await addMessage(route);
  await using _sender = startSender();
  assert.ok(await eventually(() => receiver.received.length === 1, 5_000));
  const [post] = receiver.received;
  assert.ok(post);
  const { headers, body } = post;
  assert.equal(body, `X-Posthorn-Loop: ${encodeId('rt', route.routeId)}\r\n${RAW}`);
  assert.equal(headers['content-type'], 'message/rfc822');
  assert.equal(headers.authorization, `Basic ${Buffer.from('actionmailbox:s3cret').toString('base64')}`);
  assert.equal(headers['webhook-id'], encodeId('rm', id));
  const [, seconds = '', v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-mail-signature'])) ?? [];
  assert.equal(v1, createHmac('sha256', route.secret).update(`${seconds}.${body}`).digest('hex'));
  assert.ok(await eventually(async () => (await statusOf(route))[0] === 'delivered 1', 5_000));
  const [row] = await messagesOf(db.database, route);
  assert.partialDeepStrictEqual(row, { httpStatus: 201, responseBody: 'thanks', leaseId: null });
  // The message is stored for 30 days after its last attempt.
  assert.ok(row !== undefined && row.expiresAt.getTime() > Date.now() + 29 * 86_400_000);
  const { lastSuccessAt, failingSince } = await routeRow(route);
  assert.ok(lastSuccessAt instanceof Date);
  assert.equal(failingSince, null);
});

test('many messages of a route at once are all sent at their first attempt', async () => {
  await using receiver = await startWebhookReceiver();
  const route = await newRoute(db.database, db.sealer, { url: receiver.url, format: 'json' });
  for (let added = 0; added < 150; added++) await addMessage(route);
  // The sender already knows the route, so it makes many attempts at a time.
  await db.database
    .updateTable('routes')
    .set({ lastSuccessAt: new Date() })
    .where('id', '=', route.routeId)
    .execute();
  await using _sender = startSender();
  const states = async () => new Set(await statusOf(route));
  assert.ok(await eventually(async () => !(await statusOf(route)).includes('pending 0'), 30_000));
  assert.ok(await eventually(async () => (await states()).size === 1, 10_000));
  assert.deepEqual([...(await states())], ['delivered 1']);
});

test('an attempt that does not begin because others are in progress is not counted', async () => {
  const route = await newRoute(db.database, db.sealer);
  await addMessage(route, { attempts: 11 });
  const { projectId, routeId: webhookId } = route;
  const queue = newQueue();
  const lease = new ClaimLease(db.database);
  const demands = [{ projectId, webhookId, limit: 2 }];
  const [claimed, ...more] = await queue.claim(await lease.id(), demands, ROUTE_TIMINGS);
  assert.deepEqual(more, []);
  assert.equal(claimed?.attempt, 12);
  await queue.settle([unsentOutcome(claimed, BUSY, 0)]);
  assert.deepEqual(await statusOf(route), ['pending 11']);
  const [row] = await messagesOf(db.database, route);
  assert.ok(row !== undefined && row.nextAttemptAt > new Date() && row.leaseId === null);
  await lease.end();
});

test('a failed attempt is retried like that of a webhook, and the route counts as failing', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500 } });
  const route = await newRoute(db.database, db.sealer, { url: receiver.url });
  await addMessage(route);
  await using sender = startSender();
  assert.ok(
    await eventually(async () => (await messagesOf(db.database, route))[0]?.httpStatus === 500, 5_000),
  );
  const [row] = await messagesOf(db.database, route);
  assert.partialDeepStrictEqual(row, { status: 'pending', attempts: 1 });
  const waitMs = (row?.nextAttemptAt.getTime() ?? 0) - (row?.lastAttemptAt?.getTime() ?? 0);
  assert.ok(waitMs >= 30_000 && waitMs < 40_000, String(waitMs));
  assert.equal(row?.pastAttempts?.length, 1);
  assert.ok((await routeRow(route)).failingSince instanceof Date);
  receiver.answerWith({ status: 204 });
  await db.database
    .updateTable('routeMessages')
    .set({ nextAttemptAt: new Date() })
    .where('routeId', '=', route.routeId)
    .execute();
  sender.wake();
  assert.ok(await eventually(async () => (await statusOf(route))[0] === 'delivered 2', 5_000));
  assert.equal((await routeRow(route)).failingSince, null);
});

test('the twelfth failed attempt is the last, and a replay begins a new series', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500 } });
  const route = await newRoute(db.database, db.sealer, { url: receiver.url });
  const messageId = await addMessage(route, { attempts: 11 });
  await using sender = startSender();
  assert.ok(await eventually(async () => (await statusOf(route))[0] === 'failed 12', 5_000));
  receiver.answerWith({});
  const replayed = await replayMessage(db.database, { ...route, messageId });
  assert.equal(replayed?.status, 'pending');
  const logged = await db.database
    .selectFrom('auditLog')
    .select('action')
    .where('projectId', '=', route.projectId)
    .orderBy('id')
    .execute();
  assert.deepEqual(logged.at(-1), { action: 'route.replay-message' });
  sender.wake();
  assert.ok(await eventually(async () => (await statusOf(route))[0] === 'delivered 1', 5_000));
  assert.equal(receiver.received.length, 2);
  assert.deepEqual(
    new Set(receiver.received.map(({ headers }) => headers['webhook-id'])),
    new Set([encodeId('rm', messageId)]),
  );
});

test('the message of another project or route cannot be replayed', async () => {
  const [route, other] = [await newRoute(db.database, db.sealer), await newRoute(db.database, db.sealer)];
  const messageId = await addMessage(route, { attempts: 1 });
  for (const key of [other, { ...route, routeId: other.routeId }, { ...route, projectId: other.projectId }])
    assert.equal(await replayMessage(db.database, { ...key, messageId }), null);
});

test('the pending messages of a route without a URL are stored, and those of a deleted route fail', async () => {
  const [silent, deleted] = [
    await newRoute(db.database, db.sealer, { url: null }),
    await newRoute(db.database, db.sealer),
  ];
  await addMessage(silent);
  await addMessage(deleted);
  await db.database.deleteFrom('routes').where('id', '=', deleted.routeId).execute();
  await using _sender = startSender();
  assert.ok(await eventually(async () => (await statusOf(silent))[0] === 'stored 0', 5_000));
  assert.ok(await eventually(async () => (await statusOf(deleted))[0] === 'failed 0', 5_000));
});

test('nothing is sent for a mailbox without API access', async () => {
  await using receiver = await startWebhookReceiver();
  const anna = await newMailbox(db.database);
  const route = await newRoute(db.database, db.sealer, { ...anna, url: receiver.url });
  await addMessage(route);
  await using sender = startSender();
  assert.ok(await eventually(async () => (await messagesOf(db.database, route))[0]?.error != null, 5_000));
  assert.equal(receiver.received.length, 0);
  assert.equal((await routeRow(route)).failingSince, null);
  await db.database
    .updateTable('mailboxes')
    .set({ apiAccess: true })
    .where('id', '=', anna.mailboxId)
    .execute();
  await db.database
    .updateTable('routeMessages')
    .set({ nextAttemptAt: new Date() })
    .where('routeId', '=', route.routeId)
    .execute();
  sender.wake();
  assert.ok(await eventually(async () => (await statusOf(route))[0] === 'delivered 2', 5_000));
});
