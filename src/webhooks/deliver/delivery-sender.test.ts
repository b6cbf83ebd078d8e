import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { isSigned, startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import {
  acceptEmails,
  deliveriesOf,
  makeDue,
  newWebhook,
  setAttempts,
  startSender,
  type TestWebhook,
  webhookRow,
} from '../../../test/support/webhooks.ts';
import { encodeId } from '../../model/ids.ts';
import { GuardedClient } from '../../net/guarded-client.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';

const db = await sealedDatabase();
const { sealer } = db;
after(() => db[Symbol.asyncDispose]());

function allAre(webhook: TestWebhook, status: string, attempts?: number): Promise<boolean> {
  return eventually(async () => {
    const rows = await deliveriesOf(db.database, webhook);
    return rows.every((row) => row.status === status && (attempts ?? row.attempts) === row.attempts);
  }, 5_000);
}

test('an event is posted once, signed, and logged', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 201, body: 'thanks' } });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  const [email] = await acceptEmails(db.database, webhook.projectId, 1);
  await using _sender = await startSender(db.database);
  const [post] = await receiver.waitFor(1);
  assert.ok(post !== undefined && isSigned(post, webhook.secret));
  const body = JSON.parse(post.body) as { type: string; data: { email_id: string } };
  assert.equal(body.type, 'email.queued');
  assert.equal(body.data.email_id, encodeId('em', email?.emailId ?? ''));
  assert.ok(await allAre(webhook, 'delivered', 1));
  const [row] = await deliveriesOf(db.database, webhook);
  assert.equal(row?.httpStatus, 201);
  assert.equal(row?.responseBody, 'thanks');
  assert.equal(row?.nextAttemptAt, null);
  assert.ok(row?.deliveredAt instanceof Date);
  const { lastSuccessAt, lastFailureAt, failingSince } = await webhookRow(db.database, webhook);
  assert.ok(lastSuccessAt instanceof Date);
  assert.deepEqual([lastFailureAt, failingSince], [null, null]);
});

test('nothing is sent while sending is paused, and all deliveries are sent afterwards', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 2);
  let polls = 0;
  let isPaused = true;
  await using sender = await startSender(db.database, {
    isPaused: () => {
      polls += 1;
      return isPaused;
    },
  });
  assert.ok(await eventually(() => polls >= 1, 5_000));
  sender.wake();
  const rows = await deliveriesOf(db.database, webhook);
  assert.ok(rows.every(({ attempts }) => attempts === 0));
  isPaused = false;
  await receiver.waitFor(2);
});

test('an idle sender that is woken sends immediately', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await using sender = await startSender(db.database);
  await acceptEmails(db.database, webhook.projectId, 3);
  sender.wake();
  await receiver.waitFor(3);
  assert.ok(await allAre(webhook, 'delivered', 1));
});

test('thousands of deliveries are each sent exactly once', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 2_000);
  await using _sender = await startSender(db.database);
  await receiver.waitFor(2_000, 20_000);
  assert.ok(await allAre(webhook, 'delivered', 1));
  assert.equal(receiver.received.length, 2_000);
});

test('a failure is retried after 30 s plus at most 5 %', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500, body: 'no' } });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 1);
  await using _sender = await startSender(db.database);
  await receiver.waitFor(1);
  assert.ok(
    await eventually(async () => (await deliveriesOf(db.database, webhook))[0]?.httpStatus === 500, 5_000),
  );
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.status, row?.attempts], ['pending', 1]);
  const waitMs = Number(row?.nextAttemptAt) - Number(row?.lastAttemptAt);
  assert.ok(waitMs >= 30_000 && waitMs < 33_000, `${waitMs} ms`);
  assert.ok((await webhookRow(db.database, webhook)).failingSince instanceof Date);

  receiver.answerWith({ status: 204 });
  await makeDue(db.database, webhook);
  await receiver.waitFor(2);
  assert.ok(await allAre(webhook, 'delivered', 2));
  assert.equal((await webhookRow(db.database, webhook)).failingSince, null);
});

test('a redirect is a failure', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 302, headers: { location: '/' } } });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 1);
  await using _sender = await startSender(db.database);
  assert.ok(
    await eventually(async () => (await deliveriesOf(db.database, webhook))[0]?.httpStatus === 302, 5_000),
  );
  assert.equal((await deliveriesOf(db.database, webhook))[0]?.status, 'pending');
  assert.equal(receiver.received.length, 1);
});

test('an attempt that fails because of an error in the service frees its slot, and is retried', async () => {
  await using receiver = await startWebhookReceiver();
  await using real = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 10 });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  // Ten deliveries are more than a new webhook has slots.
  await acceptEmails(db.database, webhook.projectId, 10);
  let isFaulty = true;
  const client: Pick<GuardedClient, 'post'> = {
    post: async (url, request) => {
      if (isFaulty) throw new TypeError('a fault of ours');
      return real.post(url, request);
    },
  };
  await using _sender = await startSender(db.database, { client });
  // Wait until the errors are written, because writing them releases the claims and would overwrite the effect of `makeDue` below.
  assert.ok(
    await eventually(
      async () =>
        (await deliveriesOf(db.database, webhook)).every(
          ({ status, attempts, error }) =>
            status === 'pending' && attempts === 1 && error === 'the service failed on this attempt',
        ),
      5_000,
    ),
  );
  // The error was not caused by the receiver, so the webhook does not count as failing.
  assert.equal((await webhookRow(db.database, webhook)).failingSince, null);
  isFaulty = false;
  await makeDue(db.database, webhook);
  assert.ok(await allAre(webhook, 'delivered', 2));
});

test('an event whose detail PostgreSQL cannot read does not block other events', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  const other = await newWebhook(db.database, sealer, { url: receiver.url });
  const [email] = await acceptEmails(db.database, webhook.projectId, 1);
  await acceptEmails(db.database, other.projectId, 1);
  const detail = JSON.stringify({ provider_message_id: 'a\u0000b\ud800' });
  await sql`update events set type = 'sent', detail = ${detail}::json where email_id = ${email?.emailId}`.execute(
    db.database,
  );
  await using _sender = await startSender(db.database);
  assert.ok(await allAre(other, 'delivered', 1));
  assert.ok(await allAre(webhook, 'delivered', 1));
});

test('the twelfth failed attempt is the last attempt', async () => {
  await using receiver = await startWebhookReceiver({ answer: 'reset' });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 1);
  await setAttempts(db.database, webhook, 11);
  await using _sender = await startSender(db.database);
  assert.ok(await allAre(webhook, 'failed', 12));
  const [row] = await deliveriesOf(db.database, webhook);
  assert.equal(row?.nextAttemptAt, null);
  assert.equal(row?.error, 'the connection was closed before a response');
});

test('receivers that never respond do not delay other receivers', async () => {
  const dead = await startWebhookReceiver({ answer: 'silence' });
  await using alive = await startWebhookReceiver();
  const project = await newProject(db.database);
  for (let count = 0; count < 40; count++)
    await newWebhook(db.database, sealer, { projectId: project, url: dead.url });
  const webhook = await newWebhook(db.database, sealer, { projectId: project, url: alive.url });
  await acceptEmails(db.database, project, 20);
  const startedAt = Date.now();
  await using _sender = await startSender(db.database);
  // The silent receiver is disposed before the sender, because the sender waits for its responses.
  await using _dead = dead;
  await alive.waitFor(20);
  assert.ok(Date.now() - startedAt < 2_000);
  assert.ok(await allAre(webhook, 'delivered', 1));
});

test('nothing is sent to a disabled webhook, and its remaining deliveries are marked as failed', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 3);
  await db.database
    .updateTable('webhooks')
    .set({ enabled: false })
    .where('id', '=', webhook.webhookId)
    .execute();
  await using _sender = await startSender(db.database);
  assert.ok(await allAre(webhook, 'failed', 0));
  assert.equal((await deliveriesOf(db.database, webhook)).length, 3);
  assert.equal(receiver.received.length, 0);

  await db.database
    .updateTable('webhooks')
    .set({ enabled: true })
    .where('id', '=', webhook.webhookId)
    .execute();
  await acceptEmails(db.database, webhook.projectId, 1);
  await receiver.waitFor(1);
  assert.ok(
    await eventually(
      async () => (await deliveriesOf(db.database, webhook)).some((row) => row.status === 'delivered'),
      5_000,
    ),
  );
  assert.equal(receiver.received.length, 1);
});

test('deliveries for a deleted webhook are removed', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await db.database.deleteFrom('webhooks').where('id', '=', webhook.webhookId).execute();
  await using _sender = await startSender(db.database);
  assert.ok(await eventually(async () => (await deliveriesOf(db.database, webhook)).length === 0, 5_000));
});

test('a webhook that has only failed for 5 days is disabled, and its pending deliveries are marked as failed', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 503 } });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await sql`update webhooks set failing_since = now() - interval '5 days' where id = ${webhook.webhookId}`.execute(
    db.database,
  );
  await acceptEmails(db.database, webhook.projectId, 5);
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  await using _sender = await startSender(db.database, { logger });
  assert.ok(await allAre(webhook, 'failed'));
  const { enabled, disabledReason } = await webhookRow(db.database, webhook);
  assert.deepEqual([enabled, disabledReason], [false, 'failing']);
  assert.ok(await eventually(() => lines.length > 0, 5_000));
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; webhookId: string });
  assert.deepEqual(
    logged.map(({ msg, webhookId }) => [msg, webhookId]),
    [[LOG_MESSAGES.webhookDisabled, encodeId('wh', webhook.webhookId)]],
  );
});

test('deliveries that were claimed too long ago are released instead of sent', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 1);
  // The clock jumps ahead after the first claim, as if the process had been suspended.
  let claims = 0;
  const database = db.database.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      // The sender can also claim deliveries of other tests.
      const isOurs = (row: object) =>
        ('max_attempts' in row || 'maxAttempts' in row) && Object.values(row).includes(webhook.webhookId);
      if (result.rows.some(isOurs)) claims += 1;
      return result;
    },
  });
  const nowMs = (): number => performance.now() + (claims > 0 ? 40_000 : 0);
  await using _sender = await startSender(database, { nowMs });
  await receiver.waitFor(1);
  assert.ok(await allAre(webhook, 'delivered', 1));
  assert.equal(receiver.received.length, 1);
  assert.equal(claims, 2);
});

test('a shutdown releases claimed deliveries and waits for attempts in flight', async () => {
  const seen = Promise.withResolvers<void>();
  await using receiver = await startWebhookReceiver({
    answer: () => {
      seen.resolve();
      return { delayMs: 300 };
    },
  });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 100);
  const sender = await startSender(db.database);
  await seen.promise;
  await sender[Symbol.asyncDispose]();
  const rows = await deliveriesOf(db.database, webhook);
  assert.equal(rows.filter((row) => row.status === 'delivered').length, receiver.received.length);
  const left = rows.filter((row) => row.status === 'pending');
  assert.ok(left.length > 0);
  for (const { attempts, nextAttemptAt } of left)
    assert.ok(attempts === 0 && nextAttemptAt !== null && nextAttemptAt <= new Date());
});
