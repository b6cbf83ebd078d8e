import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { type ReceiverBehavior, startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import {
  acceptEmails,
  deliveriesOf,
  insertDelivery,
  makeDue,
  newWebhook,
  startSender,
  type TestWebhook,
} from '../../../test/support/webhooks.ts';
import type { AttemptResult, DeliveryDetail } from '../../contract/dashboard/webhooks.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { Lease } from '../../queue/lease.ts';
import { claimDeliveries } from '../deliver/claim-deliveries.ts';
import { failPending } from '../fail-pending.ts';
import { feedReplay } from '../replay/feed-replay.ts';
import { replayDelivery } from '../replay/replay-delivery.ts';
import { replayFailed } from '../replay/replay-failed.ts';
import { getDelivery } from './get-delivery.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());

const WAIT_MS = 5_000;

/** The only delivery of a webhook. */
async function detailOf(webhook: TestWebhook, includesBodies = true): Promise<DeliveryDetail> {
  const [row] = await deliveriesOf(database, webhook);
  assert.ok(row !== undefined);
  const found = await getDelivery(db, { ...webhook, deliveryId: row.id, includesBodies });
  assert.ok(found !== null);
  return found;
}

const inShort = ({ http_status, response_body, truncated }: AttemptResult) => [
  http_status,
  response_body,
  truncated,
];

/** Waits until an attempt has ended. */
async function untilEnded(webhook: TestWebhook, attempts: number): Promise<void> {
  const isEnded = async () => {
    const { attempt_results, is_sending } = await detailOf(webhook);
    return attempt_results.length === attempts && !is_sending;
  };
  assert.ok(await eventually(isEnded, WAIT_MS));
}

test('a delivery shows the response to each of its attempts, and what a viewer may not see is left out', async () => {
  const answers: ReceiverBehavior[] = [
    { status: 500, body: 'out of memory' },
    { status: 404, body: 'é'.repeat(600) },
    'reset',
    { status: 200, body: 'thanks' },
  ];
  await using receiver = await startWebhookReceiver({ answer: () => answers.shift() ?? 'silence' });
  const webhook = await newWebhook(database, sealer, { url: receiver.url, events: ['email.queued'] });
  await acceptEmails(database, webhook.projectId, 1);
  assert.deepEqual((await detailOf(webhook)).attempt_results, []);
  await using sender = await startSender(database);
  for (const made of [1, 2, 3]) {
    await untilEnded(webhook, made);
    await makeDue(database, webhook);
    sender.wake();
  }
  await untilEnded(webhook, 4);
  const shown = await detailOf(webhook);
  assert.deepEqual(shown.attempt_results.map(inShort), [
    [500, 'out of memory', false],
    [404, 'é'.repeat(500), true],
    [null, '', false],
    [200, 'thanks', false],
  ]);
  assert.equal(shown.attempt_results[2]?.error, 'the connection was closed before a response');
  const times = shown.attempt_results.map(({ at }) => at);
  assert.deepEqual(times, times.toSorted());
  assert.equal(times.at(-1), shown.last_attempt_at);
  const hidden = await detailOf(webhook, false);
  assert.deepEqual(hidden.attempt_results.map(inShort), [
    [500, '', false],
    [404, '', true],
    [null, '', false],
    [200, '', false],
  ]);
});

test('a delivery that succeeds at once stores no past attempts', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 202, body: 'thanks' } });
  const webhook = await newWebhook(database, sealer, { url: receiver.url, events: ['email.queued'] });
  await acceptEmails(database, webhook.projectId, 1);
  await using _sender = await startSender(database);
  await untilEnded(webhook, 1);
  assert.deepEqual((await detailOf(webhook)).attempt_results.map(inShort), [[202, 'thanks', false]]);
  const { pastAttempts } = await database
    .selectFrom('deliveries')
    .select('pastAttempts')
    .where('webhookId', '=', webhook.webhookId)
    .executeTakeFirstOrThrow();
  assert.equal(pastAttempts, null);
});

for (const [what, replay] of [
  ['by its id', (webhook: TestWebhook, id: string) => replayDelivery(database, webhook.projectId, id)],
  [
    'with all failed deliveries',
    async (webhook: TestWebhook) => {
      await replayFailed(database, webhook, null);
      await feedReplay(database, webhook);
    },
  ],
] as const) {
  test(`a delivery that is replayed ${what} keeps the results from before, of which the oldest are dropped in the end`, async () => {
    await using receiver = await startWebhookReceiver({ answer: { status: 200 } });
    const webhook = await newWebhook(database, sealer, { url: receiver.url, events: ['email.queued'] });
    await acceptEmails(database, webhook.projectId, 1);
    const lastAttemptAt = new Date(Date.now() - 60_000);
    const [row] = await deliveriesOf(database, webhook);
    assert.ok(row !== undefined);
    const past = Array.from({ length: 24 }, (_, nth) => ({
      at: new Date(lastAttemptAt.getTime() - (24 - nth) * 1_000).toISOString(),
      status: 500 + nth,
      error: null,
      ms: 1,
      body: '',
      cut: false,
    }));
    await database.deleteFrom('dueDeliveries').where('id', '=', row.id).execute();
    const { nextAttemptAt: _, projectId: __, webhookId: ___, ...failed } = row;
    await insertDelivery(database, webhook, {
      ...failed,
      status: 'failed',
      attempts: 12,
      httpStatus: 523,
      lastAttemptAt,
    });
    await database
      .updateTable('deliveries')
      .set({ pastAttempts: JSON.stringify(past) as never })
      .where('id', '=', row.id)
      .execute();
    await replay(webhook, row.id);
    const replayed = await detailOf(webhook);
    assert.deepEqual([replayed.status, replayed.attempts], ['pending', 0]);
    assert.deepEqual(
      replayed.attempt_results.map(({ http_status }) => http_status),
      past.map(({ status }) => status),
    );
    await using _sender = await startSender(database);
    const isDelivered = async () => (await detailOf(webhook)).status === 'delivered';
    assert.ok(await eventually(isDelivered, WAIT_MS));
    const statuses = (await detailOf(webhook)).attempt_results.map(({ http_status }) => http_status);
    assert.deepEqual([statuses.length, statuses[0], statuses.at(-1)], [24, 501, 200]);
  });
}

test('a failed delivery of an earlier version shows its last attempt, also after a replay', async () => {
  const webhook = await newWebhook(database, sealer);
  const id = await insertDelivery(database, webhook, {
    status: 'failed',
    attempts: 12,
    httpStatus: 503,
    responseBody: 'busy',
    lastAttemptAt: new Date(),
  });
  const before = (await detailOf(webhook)).attempt_results;
  assert.deepEqual(before.map(inShort), [[503, 'busy', false]]);
  await replayDelivery(database, webhook.projectId, id);
  assert.deepEqual((await detailOf(webhook)).attempt_results, before);
});

test('a webhook that is disabled during the first attempt does not show an attempt, before and after a replay', async () => {
  const webhook = await newWebhook(database, sealer, { events: ['email.queued'] });
  const { projectId, webhookId } = webhook;
  await acceptEmails(database, projectId, 1);
  const lease = await Lease.begin(database, newUuid(), 'test', { rowKind: 'deliveries' });
  lease.stop();
  assert.equal((await claimDeliveries(database, lease.leaseId, [{ ...webhook, limit: 1 }])).length, 1);
  await database.transaction().execute((tx) => failPending(tx, projectId, webhookId));
  const failed = await detailOf(webhook);
  assert.deepEqual([failed.status, failed.error, failed.attempts], ['failed', 'the webhook was disabled', 1]);
  assert.deepEqual(failed.attempt_results, []);
  const [row] = await deliveriesOf(database, webhook);
  await replayDelivery(database, projectId, row?.id ?? '');
  const { pastAttempts } = await database
    .selectFrom('dueDeliveries')
    .select('pastAttempts')
    .where('webhookId', '=', webhookId)
    .executeTakeFirstOrThrow();
  assert.equal(pastAttempts, null);
});

test('an attempt of an earlier version does not have the error of the webhook that was disabled after it', async () => {
  const webhook = await newWebhook(database, sealer);
  await insertDelivery(database, webhook, {
    status: 'failed',
    attempts: 2,
    httpStatus: 500,
    error: 'the webhook was disabled',
    lastAttemptAt: new Date(),
  });
  const { attempt_results } = await detailOf(webhook);
  assert.deepEqual(
    attempt_results.map(({ http_status, error }) => [http_status, error]),
    [[500, null]],
  );
});

test('a delivery names the recipient and the subject of its email, and the number of other recipients', async () => {
  const webhook = await newWebhook(database, sealer, { events: ['email.queued'] });
  const [email] = await acceptEmails(database, webhook.projectId, 1);
  assert.ok(email !== undefined);
  await database
    .updateTable('emails')
    .set({ toList: ['Ada <ada@example.org>', 'bob@example.org'], subject: 'Your order' })
    .where('id', '=', email.emailId)
    .execute();
  assert.deepEqual((await detailOf(webhook)).about, {
    recipient: 'Ada <ada@example.org>',
    more_recipients: 1,
    subject: 'Your order',
  });
  await database
    .updateTable('events')
    .set({ recipient: 'bob@example.org' })
    .where('emailId', '=', email.emailId)
    .execute();
  const shown = await detailOf(webhook);
  assert.deepEqual(shown.about, { recipient: 'bob@example.org', more_recipients: 0, subject: 'Your order' });
  assert.equal(shown.email_id, encodeId('em', email.emailId));
  await database.deleteFrom('events').where('emailId', '=', email.emailId).execute();
  assert.equal((await detailOf(webhook)).about, null);
});
