import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { EVENT_KEYS } from '../../src/model/event-keys.ts';
import { decodeId } from '../../src/model/ids.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { startService } from '../support/service.ts';
import type { WebhookKey } from '../../src/webhooks/deliver/claim-deliveries.ts';
import { countRetryable } from '../../src/webhooks/log/find-deliveries.ts';
import { findReplay, replayFailed } from '../../src/webhooks/replay/replay-failed.ts';
import { findRetry, retryPending } from '../../src/webhooks/replay/retry-pending.ts';
import {
  type ReceivedPost,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../support/webhook-receiver.ts';
import { happensAtLast, postEmails, queueIsEmpty, SHORT_LEASE } from './support.ts';

const EMAILS = 200;
/** The sandbox causes four events per email: queued, sending, sent and delivered. */
const EVENTS = 4 * EMAILS;
const KILLS = 3;
const SHORT_CLAIM: Patch = { timings: 'src/webhooks/deliver', values: { claimMs: 3_000 } };

interface Result {
  events: number;
  undelivered: string[];
  /** Events that were sent again after their delivery was recorded. */
  redelivered: string[];
}

/** Kills the worker repeatedly while it delivers events. */
async function killWorkers(patches: readonly Patch[], patienceMs: number): Promise<Result> {
  await using receiver = await startWebhookReceiver({ answer: { delayMs: 20 } });
  await using service = await startService({ patches: [...SHORT_LEASE, SHORT_CLAIM, ...patches] });
  const { status } = await service
    .client()
    .post('/v1/webhooks', { url: receiver.url, events: [...EVENT_KEYS] });
  assert.equal(status, 201);
  const { database } = service;
  const deliveredIds = async (): Promise<string[]> => {
    const rows = await database
      .selectFrom('deliveries')
      .select('eventId')
      .where('status', '=', 'delivered')
      .execute();
    return rows.map((row) => row.eventId);
  };
  const redelivered = new Set<string>();
  const checks: (() => void)[] = [];

  const posting = postEmails(service, { count: EMAILS });
  for (let kill = 1; kill <= KILLS; kill++) {
    await eventually(() => receiver.received.length >= (kill * EVENTS) / (KILLS + 2), 10_000);
    for (const pid of service.workerPids()) process.kill(pid, 'SIGKILL');
    const before = new Set(await deliveredIds());
    const from = receiver.received.length;
    checks.push(() => {
      for (const post of receiver.received.slice(from))
        if (before.has(eventIdOf(post))) redelivered.add(eventIdOf(post));
    });
  }
  await posting;
  await queueIsEmpty(service, patienceMs);
  await eventually(async () => (await deliveredIds()).length === EVENTS, patienceMs);
  for (const check of checks) check();
  const receivedIds = new Set(receiver.received.map(eventIdOf));
  const events = await database.selectFrom('events').select('id').execute();
  return {
    events: events.length,
    undelivered: events.map(({ id }) => id).filter((id) => !receivedIds.has(id)),
    redelivered: [...redelivered],
  };
}

function eventIdOf({ body }: ReceivedPost): string {
  return decodeId('evt', (JSON.parse(body) as { id: string }).id) ?? '';
}

test('when workers are killed, every event is delivered, and not sent again after its delivery is recorded', async () => {
  assert.deepEqual(await killWorkers([], 30_000), { events: EVENTS, undelivered: [], redelivered: [] });
});

test('control: events are not delivered if the claims of a dead worker do not become due again', async () => {
  const forEver: Patch = { timings: 'src/webhooks/deliver', values: { claimMs: 300_000 } };
  assert.ok(await happensAtLast(async () => (await killWorkers([forEver], 5_000)).undelivered.length > 0));
});

test('if the database is down for longer than a claim lasts, a response received meanwhile is recorded later, and no event is resent', async () => {
  await using receiver = await startWebhookReceiver({ answer: { delayMs: 300 } });
  const patches: Patch[] = [
    ...SHORT_LEASE,
    { timings: 'src/webhooks/deliver', values: { claimMs: 1_000 } },
    { timings: 'src/process', values: { restartWaitsMs: [3_000] } },
    { cores: 3 },
  ];
  await using service = await startService({ patches });
  await service.client().post('/v1/webhooks', { url: receiver.url, events: ['email.queued'] });
  const posting = postEmails(service, { count: 20 });
  await receiver.waitFor(1, 10_000);
  process.kill(service.postgresPid(), 'SIGKILL');
  await posting;
  const areDelivered = async (): Promise<boolean> => {
    const rows = await service.database.selectFrom('deliveries').select(['status']).execute();
    return rows.length >= 20 && rows.every(({ status }) => status === 'delivered');
  };
  assert.ok(await eventually(() => areDelivered().catch(() => false), 30_000));
  const receivedIds = receiver.received.map(eventIdOf);
  assert.equal(new Set(receivedIds).size, receivedIds.length);
});

/** Kills the workers twice while `count` more posts arrive. @returns a function that finds posts of events that were delivered before */
async function killTwice(
  { database, workerPids }: Awaited<ReturnType<typeof startService>>,
  { received }: WebhookReceiver,
  count: number,
): Promise<() => string[]> {
  const heardBefore = received.length;
  const checks: (() => string[])[] = [];
  for (let kill = 1; kill <= 2; kill++) {
    await eventually(() => received.length >= heardBefore + (kill * count) / 4, 10_000);
    for (const pid of workerPids()) process.kill(pid, 'SIGKILL');
    const rows = await database
      .selectFrom('deliveries')
      .select('eventId')
      .where('status', '=', 'delivered')
      .execute();
    const delivered = new Set(rows.map(({ eventId }) => eventId));
    const from = received.length;
    checks.push(() =>
      received
        .slice(from)
        .map(eventIdOf)
        .filter((id) => delivered.has(id)),
    );
  }
  return () => checks.flatMap((check) => check());
}

async function onlyWebhook({ database }: Awaited<ReturnType<typeof startService>>): Promise<WebhookKey> {
  const { projectId, id: webhookId } = await database
    .selectFrom('webhooks')
    .select(['projectId', 'id'])
    .executeTakeFirstOrThrow();
  return { projectId, webhookId };
}

test('when workers are killed, a replay leaves out no failed delivery and resends no delivered event', async () => {
  await using receiver = await startWebhookReceiver({ answer: { delayMs: 10 } });
  await using service = await startService({ patches: [...SHORT_LEASE, SHORT_CLAIM] });
  const { database } = service;
  await service.client().post('/v1/webhooks', { url: receiver.url, events: ['email.queued'] });
  await postEmails(service, { count: EMAILS });
  const countOf = async (status: 'delivered' | 'failed') =>
    (await database.selectFrom('deliveries').select('id').where('status', '=', status).execute()).length;
  assert.ok(await eventually(async () => (await countOf('delivered')) === EMAILS, 30_000));
  await database.updateTable('deliveries').set({ status: 'failed', deliveredAt: null }).execute();
  const key = await onlyWebhook(service);
  await replayFailed(database, key, null);
  const findRedelivered = await killTwice(service, receiver, EMAILS);
  assert.ok(await eventually(async () => (await countOf('delivered')) === EMAILS, 60_000));
  assert.deepEqual(findRedelivered(), []);
  assert.equal(await countOf('failed'), 0);
  const isDone = async () => (await findReplay(database, key))?.ended_by === 'done';
  assert.ok(await eventually(isDone, 10_000));
  assert.equal((await findReplay(database, key))?.replayed, EMAILS);
});

test('when workers are killed, a retry of all pending deliveries goes on, leaves out none and resends no delivered event', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500 } });
  await using service = await startService({ patches: [...SHORT_LEASE, SHORT_CLAIM] });
  const { database } = service;
  await service.client().post('/v1/webhooks', { url: receiver.url, events: ['email.queued'] });
  await postEmails(service, { count: EMAILS });
  const key = await onlyWebhook(service);
  assert.ok(await eventually(async () => (await countRetryable(database, key, 1_000)) === EMAILS, 20_000));
  receiver.answerWith({ delayMs: 10 });
  // Without the retry, the deliveries would wait for much longer than this test takes.
  await sql`update due_deliveries set next_attempt_at = now() + interval '1 hour'`.execute(database);
  await retryPending(database, key);
  const findRedelivered = await killTwice(service, receiver, EMAILS);
  const countDelivered = async () =>
    (await database.selectFrom('deliveries').select('id').where('status', '=', 'delivered').execute()).length;
  assert.ok(await eventually(async () => (await countDelivered()) === EMAILS, 60_000));
  assert.deepEqual(findRedelivered(), []);
  assert.equal((await findRetry(database, key))?.ended_by, 'done');
});
