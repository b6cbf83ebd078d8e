import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { isSigned, startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import {
  acceptEmails,
  newProject,
  newWebhook,
  SECRET,
  startSender,
  type TestWebhook,
} from '../../../test/support/webhooks.ts';
import { checkSecret, type Sealer } from '../../db/seal.ts';
import { recordEvents } from '../../mail/events/record-events.ts';
import { encodeId } from '../../model/ids.ts';
import { claimDeliveries, giveBack } from './claim-deliveries.ts';
import { completeDeliveries, type FinishedAttempt } from './complete-deliveries.ts';

let db: TestDatabase;
let sealer: Sealer;
let projectId: string;
before(async () => {
  db = await testDatabase();
  sealer = await checkSecret(db.database, SECRET);
});
after(() => db[Symbol.asyncDispose]());

/** A webhook of a project of its own. */
async function webhookTo(url: string): Promise<TestWebhook> {
  projectId = await newProject(db.database);
  return newWebhook(db.database, sealer, { projectId, url });
}

function rowsOf({ webhookId }: TestWebhook) {
  return db.database
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .orderBy('id')
    .execute();
}

function webhookRow({ webhookId }: TestWebhook) {
  return db.database
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
}

async function makeDue({ webhookId }: TestWebhook): Promise<void> {
  await sql`update webhook_deliveries set next_attempt_at = now() where webhook_id = ${webhookId} and status = 'pending'`.execute(
    db.database,
  );
}

function allAre(webhook: TestWebhook, status: string, attempts?: number): Promise<boolean> {
  return eventually(async () => {
    const rows = await rowsOf(webhook);
    return rows.every((row) => row.status === status && (attempts ?? row.attempts) === row.attempts);
  }, 5_000);
}

async function claimOne(webhook: TestWebhook) {
  const [claimed] = await claimDeliveries(db.database, [{ ...webhook, room: 1 }]);
  if (claimed === undefined) throw new Error('nothing is due');
  return claimed;
}

function answered(
  attempt: Parameters<typeof giveBack>[1][number],
  status: FinishedAttempt['status'],
): FinishedAttempt {
  return {
    ...attempt,
    status,
    delayMs: status === 'pending' ? 30_000 : null,
    asked: true,
    httpStatus: status === 'delivered' ? 200 : 500,
    error: null,
    durationMs: 1,
    responseBody: '',
    responseTruncated: false,
  };
}

test('an event is POSTed once, signed, with its log', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 201, body: 'thanks' } });
  const webhook = await webhookTo(receiver.url);
  const [email] = await acceptEmails(db.database, projectId, 1);
  await using _sender = await startSender(db.database);
  const [post] = await receiver.waitFor(1);
  assert.ok(post !== undefined && isSigned(post, webhook.secret));
  const body = JSON.parse(post.body) as { type: string; data: { email_id: string } };
  assert.equal(body.type, 'email.queued');
  assert.equal(body.data.email_id, encodeId('em', email?.emailId ?? ''));
  assert.ok(await allAre(webhook, 'delivered', 1));
  const [row] = await rowsOf(webhook);
  assert.equal(row?.httpStatus, 201);
  assert.equal(row?.responseBody, 'thanks');
  assert.equal(row?.nextAttemptAt, null);
  assert.ok(row?.deliveredAt instanceof Date);
  const { lastSuccessAt, lastFailureAt, failingSince } = await webhookRow(webhook);
  assert.ok(lastSuccessAt instanceof Date);
  assert.deepEqual([lastFailureAt, failingSince], [null, null]);
});

test('what comes while the sender is idle goes out at once when it is woken', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await webhookTo(receiver.url);
  await using sender = await startSender(db.database);
  await acceptEmails(db.database, projectId, 3);
  sender.wake();
  await receiver.waitFor(3);
  assert.ok(await allAre(webhook, 'delivered', 1));
});

test('thousands go out, each once', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 2_000);
  await using _sender = await startSender(db.database);
  await receiver.waitFor(2_000, 20_000);
  assert.ok(await allAre(webhook, 'delivered', 1));
  assert.equal(receiver.received.length, 2_000);
});

test('a failure is tried again after 30 s and at most 5 % more', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500, body: 'no' } });
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 1);
  await using _sender = await startSender(db.database);
  await receiver.waitFor(1);
  assert.ok(await eventually(async () => (await rowsOf(webhook))[0]?.httpStatus === 500, 5_000));
  const { rows } = await sql<{ wait: number }>`
    select extract(epoch from next_attempt_at - last_attempt_at)::float8 as wait from webhook_deliveries
    where webhook_id = ${webhook.webhookId} and status = 'pending' and attempts = 1`.execute(db.database);
  assert.ok(rows[0] !== undefined && rows[0].wait >= 30 && rows[0].wait < 33, String(rows[0]?.wait));
  assert.ok((await webhookRow(webhook)).failingSince instanceof Date);

  receiver.answerWith({ status: 204 });
  await makeDue(webhook);
  await receiver.waitFor(2);
  assert.ok(await allAre(webhook, 'delivered', 2));
  assert.equal((await webhookRow(webhook)).failingSince, null);
});

test('a redirect is a failure', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 302, headers: { location: '/' } } });
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 1);
  await using _sender = await startSender(db.database);
  assert.ok(await eventually(async () => (await rowsOf(webhook))[0]?.httpStatus === 302, 5_000));
  assert.equal((await rowsOf(webhook))[0]?.status, 'pending');
  assert.equal(receiver.received.length, 1);
});

test('the twelfth failure is the last', async () => {
  await using receiver = await startWebhookReceiver({ answer: 'reset' });
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 1);
  await sql`update webhook_deliveries set attempts = 11 where webhook_id = ${webhook.webhookId}`.execute(
    db.database,
  );
  await using _sender = await startSender(db.database);
  assert.ok(await allAre(webhook, 'failed', 12));
  const [row] = await rowsOf(webhook);
  assert.equal(row?.nextAttemptAt, null);
  assert.equal(row?.error, 'the connection was closed before an answer');
});

test('receivers that never answer do not delay the others', async () => {
  await using dead = await startWebhookReceiver({ answer: 'silence' });
  await using alive = await startWebhookReceiver();
  const project = await newProject(db.database);
  for (let count = 0; count < 40; count++)
    await newWebhook(db.database, sealer, { projectId: project, url: dead.url });
  const webhook = await newWebhook(db.database, sealer, { projectId: project, url: alive.url });
  await acceptEmails(db.database, project, 20);
  const startedAt = Date.now();
  const sender = await startSender(db.database);
  await alive.waitFor(20);
  assert.ok(Date.now() - startedAt < 2_000);
  assert.ok(await allAre(webhook, 'delivered', 1));
  await Promise.all([dead[Symbol.asyncDispose](), sender[Symbol.asyncDispose]()]);
  await using _again = { [Symbol.asyncDispose]: async () => {} };
});

test('nothing goes to a disabled webhook, and what was left for it fails', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 3);
  await db.database.updateTable('webhooks').set({ enabled: false }).where('id', '=', webhook.webhookId).execute();
  await using _sender = await startSender(db.database);
  assert.ok(await allAre(webhook, 'failed', 0));
  assert.equal((await rowsOf(webhook)).length, 3);
  assert.equal(receiver.received.length, 0);

  await db.database.updateTable('webhooks').set({ enabled: true }).where('id', '=', webhook.webhookId).execute();
  await acceptEmails(db.database, projectId, 1);
  await receiver.waitFor(1);
  assert.ok(await eventually(async () => (await rowsOf(webhook)).some((row) => row.status === 'delivered'), 5_000));
  assert.equal(receiver.received.length, 1);
});

test('what an event leaves behind for a webhook that is gone is removed', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 1);
  await db.database.deleteFrom('webhooks').where('id', '=', webhook.webhookId).execute();
  await using _sender = await startSender(db.database);
  assert.ok(await eventually(async () => (await rowsOf(webhook)).length === 0, 5_000));
});

test('a webhook that only failed for 5 days is disabled, and its pending deliveries fail', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 503 } });
  const webhook = await webhookTo(receiver.url);
  await sql`update webhooks set failing_since = now() - interval '5 days' where id = ${webhook.webhookId}`.execute(
    db.database,
  );
  await acceptEmails(db.database, projectId, 5);
  await using _sender = await startSender(db.database);
  assert.ok(await allAre(webhook, 'failed'));
  const { enabled, disabledReason } = await webhookRow(webhook);
  assert.deepEqual([enabled, disabledReason], [false, 'failing']);
});

test('a webhook that failed for less than 5 days stays enabled', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await sql`update webhooks set failing_since = now() - interval '119 hours' where id = ${webhook.webhookId}`.execute(
    db.database,
  );
  await acceptEmails(db.database, projectId, 1);
  const claimed = await claimOne(webhook);
  await completeDeliveries(db.database, [answered(claimed, 'pending')]);
  assert.equal((await webhookRow(webhook)).enabled, true);
});

test('a batch with an answer of each kind leaves the webhook healthy', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 2);
  const [first, second] = [await claimOne(webhook), await claimOne(webhook)];
  await completeDeliveries(db.database, [answered(first, 'pending'), answered(second, 'delivered')]);
  const { lastSuccessAt, lastFailureAt, failingSince } = await webhookRow(webhook);
  assert.ok(lastSuccessAt instanceof Date && lastFailureAt instanceof Date);
  assert.equal(failingSince, null);
});

test('a worker whose claim ran out writes nothing', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 1);
  const late = await claimOne(webhook);
  await makeDue(webhook);
  const current = await claimOne(webhook);
  assert.deepEqual([late.attempt, current.attempt], [1, 2]);
  await completeDeliveries(db.database, [answered(late, 'failed')]);
  await giveBack(db.database, [late]);
  const [row] = await rowsOf(webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.httpStatus], ['pending', 2, null]);
  await completeDeliveries(db.database, [answered(current, 'delivered')]);
  await completeDeliveries(db.database, [answered(late, 'failed')]);
  assert.equal((await rowsOf(webhook))[0]?.status, 'delivered');
});

test('a claim is over after 45 s, and an attempt that died with its worker counts', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 1);
  await claimOne(webhook);
  const { rows } = await sql<{ held: boolean }>`
    select next_attempt_at - last_attempt_at = interval '45 seconds' as held from webhook_deliveries
    where webhook_id = ${webhook.webhookId}`.execute(db.database);
  assert.deepEqual(rows, [{ held: true }]);
  await makeDue(webhook);
  assert.equal((await claimOne(webhook)).attempt, 2);
});

test('when the worker died in the last attempt the delivery has failed', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 1);
  await sql`update webhook_deliveries set attempts = 11 where webhook_id = ${webhook.webhookId}`.execute(
    db.database,
  );
  assert.equal((await claimOne(webhook)).attempt, 12);
  await makeDue(webhook);
  assert.deepEqual(await claimDeliveries(db.database, [{ ...webhook, room: 1 }]), []);
  const [row] = await rowsOf(webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.nextAttemptAt], ['failed', 12, null]);
});

test('what is given back is due at once and was never attempted', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 1);
  await giveBack(db.database, [await claimOne(webhook)]);
  const [row] = await rowsOf(webhook);
  assert.deepEqual([row?.attempts, row?.lastAttemptAt], [0, null]);
  assert.equal((await claimOne(webhook)).attempt, 1);
});

test('workers that claim at once share the deliveries without one in common', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  await acceptEmails(db.database, projectId, 40);
  const claims = await Promise.all(
    Array.from({ length: 4 }, () => claimDeliveries(db.database, [{ ...webhook, room: 10 }])),
  );
  const ids = claims.flat().map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('what was claimed too long ago is not sent but given back', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 1);
  // The process is stopped between the first claim and the first attempt: the clock is past it from the second reading on.
  let stoppedMs = 0;
  const realQuery = db.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => 'maxAttempts' in row || 'max_attempts' in row)) stoppedMs = 40_000;
      return result;
    },
  });
  await using _sender = await startSender(realQuery, { nowMs: () => performance.now() + stoppedMs });
  await receiver.waitFor(1);
  assert.ok(await allAre(webhook, 'delivered', 1));
  assert.equal(receiver.received.length, 1);
});

test('a stop gives back what is merely claimed and waits for what is on its way', async () => {
  const seen = Promise.withResolvers<void>();
  await using receiver = await startWebhookReceiver({
    answer: () => {
      seen.resolve();
      return { delayMs: 300 };
    },
  });
  const webhook = await webhookTo(receiver.url);
  await acceptEmails(db.database, projectId, 100);
  const sender = await startSender(db.database);
  await seen.promise;
  await sender[Symbol.asyncDispose]();
  const rows = await rowsOf(webhook);
  assert.equal(rows.filter((row) => row.status === 'delivered').length, receiver.received.length);
  const { rows: left } = await sql<{ attempts: number; due: boolean }>`
    select distinct attempts, next_attempt_at <= now() as due from webhook_deliveries
    where webhook_id = ${webhook.webhookId} and status = 'pending'`.execute(db.database);
  assert.deepEqual(left, [{ attempts: 0, due: true }]);
});

test('each webhook of the project that subscribes gets the event in the same commit, also two with one URL', async () => {
  const first = await webhookTo('http://127.0.0.1:9/');
  const second = await newWebhook(db.database, sealer, { projectId, url: 'http://127.0.0.1:9/' });
  const sentOnly = await newWebhook(db.database, sealer, {
    projectId,
    url: 'http://127.0.0.1:9/',
    events: ['email.sent'],
  });
  const disabled = await newWebhook(db.database, sealer, {
    projectId,
    url: 'http://127.0.0.1:9/',
    enabled: false,
  });
  const elsewhere = await newWebhook(db.database, sealer, {
    projectId: await newProject(db.database),
    url: 'http://127.0.0.1:9/',
  });
  const [email] = await acceptEmails(db.database, projectId, 1);
  const key = { projectId, emailId: email?.emailId ?? '' };
  const events = (['sending', 'sent', 'deferred', 'delivered'] as const).map((type) => ({
    type,
    n: type === 'deferred' || type === 'delivered' ? 0 : null,
    recipient: null,
    detail: null,
  }));
  await db.database.transaction().execute((tx) => recordEvents(tx, [{ ...key, events }]));
  const types = async (webhook: TestWebhook) => (await rowsOf(webhook)).map((row) => row.type);
  const all = ['email.queued', 'email.sending', 'email.sent', 'email.delivered'];
  assert.deepEqual(await types(first), all);
  assert.deepEqual(await types(second), all);
  assert.deepEqual(await types(sentOnly), ['email.sent']);
  assert.deepEqual(await types(disabled), []);
  assert.deepEqual(await types(elsewhere), []);
});

test('an event that is rolled back leaves no delivery', async () => {
  const webhook = await webhookTo('http://127.0.0.1:9/');
  const [email] = await acceptEmails(db.database, projectId, 1);
  const events = [{ type: 'sending', n: null, recipient: null, detail: null }] as const;
  await assert.rejects(
    db.database.transaction().execute(async (tx) => {
      await recordEvents(tx, [{ projectId, emailId: email?.emailId ?? '', events }]);
      throw new Error('rolled back');
    }),
  );
  assert.deepEqual(
    (await rowsOf(webhook)).map((row) => row.type),
    ['email.queued'],
  );
});
