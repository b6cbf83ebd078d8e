import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import pino from 'pino';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import {
  acceptEmails,
  deliveriesOf,
  insertDelivery,
  newWebhook,
  startSender,
  type TestWebhook,
} from '../../../test/support/webhooks.ts';
import { AppError } from '../../model/app-error.ts';
import { firstUuidAt, newUuid, timeOf } from '../../model/ids.ts';
import { feedReplay } from './feed-replay.ts';
import { ReplayFeed } from './replay-feed.ts';
import { replayDelivery } from './replay-delivery.ts';
import { countFailed, findReplay, replayFailed, stopReplay } from './replay-failed.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());

const WAIT_MS = 10_000;

/** Continues all replays, and calls `wake` for due deliveries, until the feed is disposed. */
function startFeed(wake = () => {}): AsyncDisposable {
  const feed = new ReplayFeed({ database, logger: pino({ level: 'fatal' }), wake });
  feed.tick();
  return feed;
}

const isEnded = (webhook: TestWebhook) => async () =>
  (await findReplay(database, webhook))?.ended_at !== null;

/** Accepts emails, and moves their deliveries to the log as failed. */
async function failEmails(webhook: TestWebhook, count: number): Promise<void> {
  await acceptEmails(database, webhook.projectId, count);
  await sql`
    with over_now as (delete from due_deliveries where webhook_id = ${webhook.webhookId} returning *)
    insert into deliveries (project_id, webhook_id, id, event_id, email_id, type, status, attempts, http_status)
    select project_id, webhook_id, id, event_id, email_id, type, 'failed', 12, 500 from over_now`.execute(
    database,
  );
}

test('a replay sends all failed deliveries once, even if it is requested three times, and no successful deliveries', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(database, sealer, { url: receiver.url, events: ['email.queued'] });
  await failEmails(webhook, 100);
  const delivered = await insertDelivery(database, webhook, { status: 'delivered', attempts: 1 });
  const tested = await insertDelivery(database, webhook, {
    status: 'failed',
    type: 'webhook.test',
    emailId: null,
    attempts: 1,
    maxAttempts: 1,
  });
  const replays = await Promise.all([1, 2, 3].map(() => replayFailed(database, webhook, null)));
  assert.deepEqual(new Set(replays.map((replay) => replay?.started_at)).size, 1);
  assert.deepEqual([replays[0]?.total, replays[0]?.has_more], [100, false]);
  await using sender = await startSender(database);
  await using _feed = startFeed(() => sender.wake());
  await using _other = startFeed(() => sender.wake());
  assert.ok(await eventually(isEnded(webhook), WAIT_MS));
  const posts = await receiver.waitFor(100);
  assert.equal(new Set(posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size, 100);
  const isOver = async () =>
    (await deliveriesOf(database, webhook)).every(
      ({ id, status }) => id === tested || status === 'delivered',
    );
  assert.ok(await eventually(isOver, WAIT_MS));
  assert.equal(receiver.received.length, 100);
  const rows = await deliveriesOf(database, webhook);
  assert.deepEqual(rows.find(({ id }) => id === delivered)?.attempts, 1);
  const replay = await findReplay(database, webhook);
  assert.deepEqual([replay?.replayed, replay?.ended_by], [100, 'done']);
  // No failed deliveries are left to replay.
  const again = await replayFailed(database, webhook, null);
  assert.deepEqual([again?.total, again?.ended_by], [0, 'done']);
});

test('a replay since a time leaves older deliveries failed', async () => {
  const webhook = await newWebhook(database, sealer);
  const id = firstUuidAt(new Date(Date.now() - 1));
  const old = await insertDelivery(database, webhook, { id, status: 'failed' });
  const young = await insertDelivery(database, webhook, { status: 'failed' });
  const since = timeOf(young);
  assert.deepEqual(await countFailed(database, webhook, since), { count: 1, has_more: false });
  assert.equal((await replayFailed(database, webhook, since))?.total, 1);
  await using _feed = startFeed();
  assert.ok(await eventually(isEnded(webhook), WAIT_MS));
  const rows = await deliveriesOf(database, webhook);
  assert.deepEqual(
    rows.map(({ id, status }) => [id, status]),
    [
      [old, 'failed'],
      [young, 'pending'],
    ],
  );
});

test('a replay makes at most 16 deliveries due at a time, so that a new event hardly waits', async () => {
  const webhook = await newWebhook(database, sealer);
  for (let count = 0; count < 50; count++) await insertDelivery(database, webhook, { status: 'failed' });
  await replayFailed(database, webhook, null);
  assert.equal(await feedReplay(database, webhook), 16);
  assert.equal(await feedReplay(database, webhook), 0);
  // Deliveries that are in flight or will be retried later do not count.
  await sql`
    update due_deliveries set next_attempt_at = now() + interval '1 minute' where id in (
      select id from due_deliveries where webhook_id = ${webhook.webhookId} limit 4)`.execute(database);
  assert.equal(await feedReplay(database, webhook), 4);
});

test('an interrupted step changes neither the replay nor the deliveries', async () => {
  const webhook = await newWebhook(database, sealer);
  for (let count = 0; count < 3; count++) await insertDelivery(database, webhook, { status: 'failed' });
  await replayFailed(database, webhook, null);
  await sql`
    create function break_off() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$`.execute(
    database,
  );
  await sql`
    create trigger break_off before update on webhook_replays for each row execute function break_off()`.execute(
    database,
  );
  await assert.rejects(feedReplay(database, webhook), /broken off/);
  await sql`drop trigger break_off on webhook_replays`.execute(database);
  assert.equal((await findReplay(database, webhook))?.replayed, 0);
  assert.ok((await deliveriesOf(database, webhook)).every(({ status }) => status === 'failed'));
  assert.equal(await feedReplay(database, webhook), 3);
});

test('a delivery that was replayed by its id in the meantime is skipped by the replay of the webhook', async () => {
  const webhook = await newWebhook(database, sealer);
  const id = await insertDelivery(database, webhook, { status: 'failed' });
  await replayFailed(database, webhook, null);
  await replayDelivery(database, webhook.projectId, id);
  await using _feed = startFeed();
  assert.ok(await eventually(isEnded(webhook), WAIT_MS));
  assert.deepEqual((await findReplay(database, webhook))?.replayed, 0);
  assert.deepEqual(
    (await deliveriesOf(database, webhook)).map(({ status }) => status),
    ['pending'],
  );
});

test('a stopped replay leaves the remaining deliveries failed, and the next replay continues with them', async () => {
  const webhook = await newWebhook(database, sealer);
  for (let count = 0; count < 20; count++) await insertDelivery(database, webhook, { status: 'failed' });
  await replayFailed(database, webhook, null);
  await feedReplay(database, webhook);
  assert.deepEqual((await stopReplay(database, webhook))?.ended_by, 'stopped');
  assert.equal(await feedReplay(database, webhook), 0);
  assert.deepEqual((await replayFailed(database, webhook, null))?.total, 4);
});

test('disabling the webhook ends its replay', async () => {
  const webhook = await newWebhook(database, sealer);
  await insertDelivery(database, webhook, { status: 'failed' });
  await replayFailed(database, webhook, null);
  await database
    .updateTable('webhooks')
    .set({ enabled: false })
    .where('id', '=', webhook.webhookId)
    .execute();
  assert.equal(await feedReplay(database, webhook), 0);
  assert.equal((await findReplay(database, webhook))?.ended_by, 'disabled');
  await assert.rejects(
    replayFailed(database, webhook, null),
    (error) => error instanceof AppError && /Enable it, then replay/.test(error.message),
  );
});

test("the deliveries of another project's webhook or an unknown webhook cannot be replayed", async () => {
  const webhook = await newWebhook(database, sealer);
  const { projectId } = await newWebhook(database, sealer);
  for (const key of [
    { ...webhook, projectId },
    { ...webhook, webhookId: newUuid() },
  ]) {
    assert.equal(await replayFailed(database, key, null), null);
    assert.equal(await stopReplay(database, key), null);
  }
});
