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
import { newUuid } from '../../model/ids.ts';
import { countRetryable } from '../log/find-deliveries.ts';
import { feedRetry, FIRST_DELIVERIES } from './feed-retry.ts';
import { findReplay, replayFailed } from './replay-failed.ts';
import { findSteps, ReplayFeed } from './replay-feed.ts';
import { findRetry, retryPending, stopRetry } from './retry-pending.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());

const WAIT_MS = 10_000;
const inMs = (ms: number) => new Date(Date.now() + ms);

function startFeed(wake = () => {}): AsyncDisposable {
  const feed = new ReplayFeed({ database, logger: pino({ level: 'fatal' }), wake });
  feed.tick();
  return feed;
}

const isEnded = (webhook: TestWebhook) => async () => (await findRetry(database, webhook))?.ended_at !== null;

/** Inserts deliveries that have failed once and wait for an hour or longer. */
async function addWaiting(webhook: TestWebhook, count: number, of = database): Promise<void> {
  for (let nth = 0; nth < count; nth++)
    await insertDelivery(of, webhook, {
      attempts: 1,
      httpStatus: 500,
      lastAttemptAt: inMs(-60_000),
      nextAttemptAt: inMs(3_600_000 + nth),
    });
}

/** Accepts emails whose deliveries have failed once and wait for an hour. */
async function acceptWaiting(webhook: TestWebhook, count: number): Promise<void> {
  await acceptEmails(database, webhook.projectId, count);
  await sql`
    update due_deliveries
    set attempts = 1, http_status = 500, last_attempt_at = now() - interval '1 minute', next_attempt_at = now() + interval '1 hour'
    where webhook_id = ${webhook.webhookId}`.execute(database);
}

/** Records an attempt at each due delivery, as a worker would. */
async function attemptDue(
  { webhookId }: TestWebhook,
  outcome: 'succeeds' | 'fails',
  of = database,
): Promise<void> {
  if (outcome === 'fails')
    await sql`
      update due_deliveries
      set attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now() + interval '2 minutes'
      where webhook_id = ${webhookId} and next_attempt_at <= now()`.execute(of);
  else {
    await sql`delete from due_deliveries where webhook_id = ${webhookId} and next_attempt_at <= now()`.execute(
      of,
    );
    await sql`update webhooks set last_success_at = now() where id = ${webhookId}`.execute(of);
  }
}

const dueCount = async (webhook: TestWebhook) =>
  (await deliveriesOf(database, webhook)).filter(
    ({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= new Date(),
  ).length;

test('after the receiver is repaired, every pending delivery is sent once at once, even if this is requested three times', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(database, sealer, { url: receiver.url, events: ['email.queued'] });
  await acceptWaiting(webhook, 60);
  const retries = await Promise.all([1, 2, 3].map(() => retryPending(database, webhook)));
  assert.deepEqual(new Set(retries.map((retry) => retry?.started_at)).size, 1);
  assert.deepEqual([retries[0]?.total, retries[0]?.has_more], [60, false]);
  await using sender = await startSender(database);
  await using _feed = startFeed(() => sender.wake());
  await using _other = startFeed(() => sender.wake());
  assert.ok(await eventually(isEnded(webhook), WAIT_MS));
  const posts = await receiver.waitFor(60);
  assert.equal(new Set(posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size, 60);
  const areDelivered = async () =>
    (await deliveriesOf(database, webhook)).every(
      ({ status, attempts }) => status === 'delivered' && attempts === 2,
    );
  assert.ok(await eventually(areDelivered, WAIT_MS));
  assert.equal(receiver.received.length, 60);
  const retry = await findRetry(database, webhook);
  assert.deepEqual([retry?.retried, retry?.ended_by], [60, 'done']);
});

test('if the receiver still fails, only the first deliveries use an attempt, and the others keep their times', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500 } });
  const webhook = await newWebhook(database, sealer, { url: receiver.url, events: ['email.queued'] });
  await acceptWaiting(webhook, 20);
  await retryPending(database, webhook);
  await using sender = await startSender(database);
  await using _feed = startFeed(() => sender.wake());
  assert.ok(await eventually(isEnded(webhook), WAIT_MS));
  const retry = await findRetry(database, webhook);
  assert.deepEqual([retry?.retried, retry?.ended_by], [FIRST_DELIVERIES, 'failing']);
  assert.equal(receiver.received.length, FIRST_DELIVERIES);
  const rows = await deliveriesOf(database, webhook);
  assert.equal(rows.filter(({ attempts }) => attempts === 1).length, 20 - FIRST_DELIVERIES);
  assert.ok(rows.every(({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt > new Date()));
});

test('further deliveries become due only after a success, at most 16 at a time, so that a new event hardly waits', async () => {
  const webhook = await newWebhook(database, sealer);
  await addWaiting(webhook, 40);
  await retryPending(database, webhook);
  assert.equal(await feedRetry(database, webhook), FIRST_DELIVERIES);
  assert.equal(await feedRetry(database, webhook), 0);
  await attemptDue(webhook, 'succeeds');
  assert.equal(await feedRetry(database, webhook), 16);
  assert.equal(await feedRetry(database, webhook), 0);
  assert.equal(await dueCount(webhook), 16);
  await attemptDue(webhook, 'succeeds');
  await feedRetry(database, webhook);
  await attemptDue(webhook, 'fails');
  assert.equal(await feedRetry(database, webhook), 0);
  const retry = await findRetry(database, webhook);
  assert.deepEqual([retry?.retried, retry?.ended_by], [36, 'failing']);
});

test('a single failure among successes does not end the retry, and the failed delivery is not tried a second time', async () => {
  const webhook = await newWebhook(database, sealer);
  await addWaiting(webhook, 30);
  await retryPending(database, webhook);
  await feedRetry(database, webhook);
  const isOneDue = sql`
    id = (select id from due_deliveries where webhook_id = ${webhook.webhookId} and next_attempt_at <= now() limit 1)`;
  await sql`
    update due_deliveries set attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now() + interval '2 hours'
    where ${isOneDue}`.execute(database);
  let made = 0;
  do {
    await attemptDue(webhook, 'succeeds');
    made = await feedRetry(database, webhook);
  } while (made > 0);
  const retry = await findRetry(database, webhook);
  assert.deepEqual([retry?.retried, retry?.ended_by], [30, 'done']);
  const left = await deliveriesOf(database, webhook);
  assert.deepEqual(
    left.filter(({ nextAttemptAt }) => Number(nextAttemptAt) > Date.now()).map(({ attempts }) => attempts),
    [2],
  );
});

test('repeated requests try other deliveries each time, and leave the last attempts of deliveries for later', async () => {
  const webhook = await newWebhook(database, sealer);
  const addOlder = (count: number, attempts: number, attemptedMs: number, nextMs: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        insertDelivery(database, webhook, {
          attempts,
          lastAttemptAt: inMs(-attemptedMs),
          nextAttemptAt: inMs(nextMs),
        }),
      ),
    );
  // The newer the event, the sooner is its next attempt.
  const fresh = await addOlder(4, 3, 60_000, 120_000);
  const old = await addOlder(8, 9, 3_600_000, 7_200_000);
  const last = await addOlder(2, 11, 7_200_000, 14_400_000);
  const findTried = async () => {
    const rows = await database
      .selectFrom('dueDeliveries')
      .select(['id', 'attempts'])
      .where('webhookId', '=', webhook.webhookId)
      .execute();
    const before = new Map([
      ...fresh.map((id) => [id, 3] as const),
      ...old.map((id) => [id, 9] as const),
      ...last.map((id) => [id, 11] as const),
    ]);
    const tried = rows.filter(({ id, attempts }) => attempts === (before.get(id) ?? 0) + 1);
    return new Set(tried.map(({ id }) => id));
  };
  for (const total of [4, 8, 12]) {
    await retryPending(database, webhook);
    assert.equal(await feedRetry(database, webhook), FIRST_DELIVERIES);
    await attemptDue(webhook, 'fails');
    await feedRetry(database, webhook);
    assert.equal((await findRetry(database, webhook))?.ended_by, 'failing');
    assert.equal((await findTried()).size, total);
  }
  assert.deepEqual(await findTried(), new Set([...fresh, ...old]));
});

test('a retry and a replay of the same webhook both go on', async () => {
  const webhook = await newWebhook(database, sealer);
  for (let count = 0; count < 100; count++)
    await insertDelivery(database, webhook, { status: 'failed', attempts: 12 });
  await addWaiting(webhook, 50);
  await replayFailed(database, webhook, null);
  await retryPending(database, webhook);
  // The receiver answers one request in each round.
  for (let round = 0; round < 60; round++) {
    for (const step of await findSteps(database)) await step();
    await sql`
      delete from due_deliveries
      where id = (
        select id from due_deliveries where webhook_id = ${webhook.webhookId} and next_attempt_at <= now()
        order by next_attempt_at, event_id limit 1)`.execute(database);
    await sql`update webhooks set last_success_at = now() where id = ${webhook.webhookId}`.execute(database);
  }
  const counts = [
    (await findReplay(database, webhook))?.replayed ?? 0,
    (await findRetry(database, webhook))?.retried ?? 0,
  ];
  // Each gets more than its first share, except with a probability of less than one in a billion.
  assert.ok(Math.min(...counts) > FIRST_DELIVERIES, String(counts));
});

test('a delivery that another transaction has locked is tried in a later step', async () => {
  const webhook = await newWebhook(database, sealer);
  await addWaiting(webhook, 8);
  const rows = await deliveriesOf(database, webhook);
  // The deliveries that the first and the last step would take.
  const held = [rows[0]?.id ?? '', rows[7]?.id ?? ''];
  await retryPending(database, webhook);
  const step = async () => {
    await attemptDue(webhook, 'succeeds');
    return feedRetry(database, webhook);
  };
  await database.transaction().execute(async (tx) => {
    await tx.selectFrom('dueDeliveries').select('id').where('id', 'in', held).forUpdate().execute();
    assert.deepEqual([await step(), await step(), await step(), await step()], [3, 3, 0, 0]);
    assert.equal((await findRetry(database, webhook))?.ended_at, null);
  });
  assert.equal(await step(), 2);
  const retry = await findRetry(database, webhook);
  assert.deepEqual([retry?.retried, retry?.ended_by], [8, 'done']);
});

test('a delivery whose attempt is in progress or that is due anyway is not counted, and not changed', async () => {
  const webhook = await newWebhook(database, sealer);
  const inFlight = await insertDelivery(database, webhook, { attempts: 1, nextAttemptAt: inMs(45_000) });
  await sql`update due_deliveries set lease_id = ${newUuid()} where id = ${inFlight}`.execute(database);
  await insertDelivery(database, webhook, {});
  await addWaiting(webhook, 1);
  assert.equal(await countRetryable(database, webhook, 1_000), 1);
  const before = await deliveriesOf(database, webhook);
  assert.equal((await retryPending(database, webhook))?.total, 1);
  assert.equal(await feedRetry(database, webhook), 1);
  const after = await deliveriesOf(database, webhook);
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2));
  assert.equal((await findRetry(database, webhook))?.ended_by, 'done');
});

test('the retry waits for a worker that died during an attempt, instead of taking it for a failure', async () => {
  const webhook = await newWebhook(database, sealer);
  await addWaiting(webhook, 10);
  await retryPending(database, webhook);
  await feedRetry(database, webhook);
  await sql`
    update due_deliveries set lease_id = ${newUuid()}, next_attempt_at = now() + interval '45 seconds', last_attempt_at = now()
    where webhook_id = ${webhook.webhookId} and next_attempt_at <= now()`.execute(database);
  assert.equal(await feedRetry(database, webhook), 0);
  assert.equal((await findRetry(database, webhook))?.ended_at, null);
});

test('a worker that comes late to a step of another one does not take the new deliveries for failed ones', async () => {
  await using own = await sealedDatabase();
  const webhook = await newWebhook(own.database, own.sealer);
  await addWaiting(webhook, 30, own.database);
  await retryPending(own.database, webhook);
  await feedRetry(own.database, webhook);
  await attemptDue(webhook, 'succeeds', own.database);
  // A statement that reads the retry waits for the advisory lock, after its snapshot and before the lock of the row.
  await sql`alter table webhook_retries rename to stored_retries`.execute(own.database);
  await sql`
    create view webhook_retries as select * from stored_retries where pg_advisory_xact_lock_shared(1)::text = ''`.execute(
    own.database,
  );
  let late: Promise<number> | undefined;
  await own.database.connection().execute(async (first) => {
    await sql`select pg_advisory_lock(1)`.execute(first);
    late = feedRetry(own.database, webhook);
    const isWaiting = async () =>
      (
        await sql`
          select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`.execute(
          first,
        )
      ).rows.length === 1;
    assert.ok(await eventually(isWaiting, WAIT_MS));
    assert.equal(await feedRetry(first, webhook), 16);
    await sql`select pg_advisory_unlock(1)`.execute(first);
  });
  assert.equal(await late, 0);
  assert.equal((await findRetry(own.database, webhook))?.ended_at, null);
});

test('a step that is broken off changes no delivery', async () => {
  const webhook = await newWebhook(database, sealer);
  await addWaiting(webhook, 3);
  await retryPending(database, webhook);
  await sql`
    create function break_off() returns trigger language plpgsql as $$ begin raise exception 'broken off'; end $$`.execute(
    database,
  );
  await sql`
    create trigger break_off before update on webhook_retries for each row execute function break_off()`.execute(
    database,
  );
  await assert.rejects(feedRetry(database, webhook), /broken off/);
  await sql`drop trigger break_off on webhook_retries`.execute(database);
  assert.deepEqual([await dueCount(webhook), (await findRetry(database, webhook))?.retried], [0, 0]);
  assert.equal(await feedRetry(database, webhook), 3);
});

test('a retry can be stopped, ends when the webhook is disabled, and is deleted with the webhook', async () => {
  const webhook = await newWebhook(database, sealer);
  await addWaiting(webhook, 8);
  await retryPending(database, webhook);
  await feedRetry(database, webhook);
  assert.equal((await stopRetry(database, webhook))?.ended_by, 'stopped');
  assert.equal(await feedRetry(database, webhook), 0);
  assert.equal((await retryPending(database, webhook))?.total, 8 - FIRST_DELIVERIES);
  await database
    .updateTable('webhooks')
    .set({ enabled: false })
    .where('id', '=', webhook.webhookId)
    .execute();
  assert.equal(await feedRetry(database, webhook), 0);
  assert.equal((await findRetry(database, webhook))?.ended_by, 'disabled');
  await assert.rejects(
    retryPending(database, webhook),
    (error) => error instanceof AppError && /Enable it first/.test(error.message),
  );
  await database.deleteFrom('webhooks').where('id', '=', webhook.webhookId).execute();
  assert.equal(await findRetry(database, webhook), null);
});

test('a webhook without waiting deliveries has nothing to retry', async () => {
  const webhook = await newWebhook(database, sealer);
  const retry = await retryPending(database, webhook);
  assert.deepEqual([retry?.total, retry?.ended_by], [0, 'done']);
});

test('deliveries of other webhooks of the project are left alone', async () => {
  const webhook = await newWebhook(database, sealer);
  const other = await newWebhook(database, sealer, { projectId: webhook.projectId });
  await addWaiting(other, 2);
  await addWaiting(webhook, 2);
  await retryPending(database, webhook);
  assert.equal(await feedRetry(database, webhook), 2);
  assert.equal(await dueCount(other), 0);
});

test("the pending deliveries of another project's webhook or an unknown webhook cannot be retried", async () => {
  const webhook = await newWebhook(database, sealer);
  const { projectId } = await newWebhook(database, sealer);
  for (const key of [
    { ...webhook, projectId },
    { ...webhook, webhookId: newUuid() },
  ]) {
    assert.equal(await retryPending(database, key), null);
    assert.equal(await stopRetry(database, key), null);
  }
});
