/** Batches, scheduled emails and cancellations while the service is killed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { type Service, startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { deliveredIds, queueIsEmpty, SHORT_LEASE } from './support.ts';

const FROM = 'Acme <hello@posthorn.localhost>';
const BATCH = 20;
/** How far ahead the emails are scheduled. They are due at about the time when the service is up again after the kill. */
const AHEAD_MS = 9_000;

interface Answer {
  status: number;
  ids: string[];
}

async function post(service: Service, path: string, body?: object): Promise<Answer> {
  try {
    const { status, body: answer } = await service
      .client()
      .post<{ id?: string; data?: { id: string }[] }>(path, body ?? {});
    return { status, ids: answer.data?.map(({ id }) => id) ?? (answer.id === undefined ? [] : [answer.id]) };
  } catch (error) {
    if (error instanceof TypeError) return { status: 0, ids: [] };
    throw error;
  }
}

const email = (more: object) => ({ from: FROM, to: ['b@dst.test'], subject: 'Hello', text: 'Hi', ...more });

async function countByTag(service: Service): Promise<Map<string, number>> {
  const rows = await service.database
    .selectFrom('emailTags')
    .select(['tag', ({ fn }) => fn.countAll<string>().as('count')])
    .groupBy('tag')
    .execute();
  return new Map(rows.map(({ tag, count }) => [tag, Number(count)]));
}

async function cancelledIds(service: Service): Promise<Set<string>> {
  const { encodeId } = await import('../../src/model/ids.ts');
  const rows = await service.database
    .selectFrom('events')
    .select(['emailId', 'detail'])
    .where('type', '=', 'failed')
    .execute();
  const cancelled = rows.filter(
    ({ detail }) => detail !== null && 'reason' in detail && detail.reason === 'cancelled',
  );
  return new Set(cancelled.map(({ emailId }) => encodeId('em', emailId)));
}

test('after kills, each batch is complete or absent, each scheduled email is sent once and in time, and no canceled email is sent', async () => {
  await using server = await startSmtpServer();
  const arrivals = new Map<string, number>();
  const options = {
    env: { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}` },
    patches: SHORT_LEASE,
  };
  const first = await startService(options);
  const watching = setInterval(() => {
    for (const id of deliveredIds(server)) if (!arrivals.has(id)) arrivals.set(id, Date.now());
  }, 50);
  const at = new Date(Date.now() + AHEAD_MS);
  const later = await Promise.all(
    Array.from({ length: 20 }, () => post(first, '/v1/emails', email({ scheduled_at: at.toISOString() }))),
  );
  const laterIds = later.flatMap(({ ids }) => ids);
  assert.equal(laterIds.length, 20);

  const stop = new AbortController();
  const accepted = new Set<string>();
  const wereCancelled = new Set<string>();
  const batches = async (name: number) => {
    for (let n = 0; !stop.signal.aborted; n++) {
      const tag = `batch-${name}-${n}`;
      const emails = Array.from({ length: BATCH }, () => email({ tags: [tag] }));
      if ((await post(first, '/v1/emails/batch', { emails })).status === 202) accepted.add(tag);
    }
  };
  const cancels = async () => {
    while (!stop.signal.aborted) {
      const { ids } = await post(first, '/v1/emails', email({}));
      const [id] = ids;
      if (id === undefined) continue;
      if ((await post(first, `/v1/emails/${id}/cancel`)).status === 200) wereCancelled.add(id);
    }
  };
  const posting = Promise.all([batches(1), batches(2), cancels(), cancels(), cancels()]);
  await eventually(() => server.messages.length >= 200 && wereCancelled.size >= 3, 15_000);
  await first.kill();
  stop.abort();
  await posting;

  await using second = await startService({ ...options, dataDir: first.dataDir });
  await sleep(Math.max(0, at.getTime() - Date.now()));
  assert.ok(await eventually(() => laterIds.every((id) => arrivals.has(id)), 15_000), 'not all went out');
  assert.ok(await queueIsEmpty(second, 30_000));
  clearInterval(watching);

  const counts = await countByTag(second);
  assert.deepEqual(
    [...counts.values()].filter((count) => count !== BATCH),
    [],
  );
  assert.deepEqual(
    [...accepted].filter((tag) => !counts.has(tag)),
    [],
  );
  const delivered = deliveredIds(server);
  for (const id of laterIds) {
    assert.equal(delivered.filter((each) => each === id).length, 1);
    assert.ok((arrivals.get(id) ?? 0) >= at.getTime(), 'before its time');
  }
  const sent = new Set(delivered);
  const cancelled = await cancelledIds(second);
  assert.deepEqual(
    [...cancelled].filter((id) => sent.has(id)),
    [],
  );
  assert.deepEqual(
    [...wereCancelled].filter((id) => !cancelled.has(id)),
    [],
  );
});
