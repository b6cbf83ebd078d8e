import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWebhookReceiver } from '../../../../../test/support/webhook-receiver.ts';
import { acceptEmails, deliveriesOf, insertDelivery } from '../../../../../test/support/webhooks.ts';
import type {
  DashboardWebhookDetail,
  DashboardWebhookList,
  DeliveryDetail,
  DeliveryPage,
  RotatedSecret,
  WebhookActivityDetail,
  WebhookReplay,
  WebhookRetry,
} from '../../../../contract/dashboard/webhooks.ts';
import type { CreatedWebhook, Webhook, WebhookTest } from '../../../../contract/webhooks.ts';
import { decodeId, encodeId, newUuid } from '../../../../model/ids.ts';
import type { DeliveryRow } from '../../../../webhooks/records.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const at = (path = '') => `/projects/${dashboard.projectId}/webhooks${path}`;
const developer = () => dashboard.as('developer');

async function create(
  url = 'https://hooks.acme.example/',
  events = ['email.queued'],
): Promise<CreatedWebhook> {
  const { status, body } = await developer().post<CreatedWebhook>(at(), { url, events });
  assert.equal(status, 201);
  return body;
}

const keyOf = ({ id }: Pick<Webhook, 'id'>) => ({
  projectId: dashboard.project.id,
  webhookId: decodeId('wh', id) as string,
});
const add = async (webhook: Webhook, fields: Partial<DeliveryRow>) =>
  encodeId('dlv', await insertDelivery(dashboard.db.database, keyOf(webhook), fields));

test('a developer can create a webhook, and only the response to the creation contains the secret', async () => {
  const { secret, id } = await create();
  assert.match(secret, /^whsec_/);
  const list = await dashboard.as('viewer').get<DashboardWebhookList>(at());
  const found = list.body.data.find((webhook) => webhook.id === id);
  assert.deepEqual([found?.failing_since, found?.previous_secret_until], [null, null]);
  assert.deepEqual(found?.activity.delivered.length, 24);
  const one = await dashboard.as('viewer').get<DashboardWebhookDetail>(at(`/${id}`));
  assert.deepEqual(one.body.waiting, { count: 0, has_more: false, next_at: null });
  assert.deepEqual(one.body.retryable, { count: 0, has_more: false });
  assert.deepEqual([one.body.replay, one.body.retry], [null, null]);
  assert.ok(!list.text.includes('secret":"') && !one.text.includes('whsec'));
});

test('pausing a webhook fails its pending deliveries, and deleting the webhook removes them', async () => {
  const webhook = await create();
  const delivery = await add(webhook, {});
  const { body } = await developer().patch<Webhook>(at(`/${webhook.id}`), { enabled: false });
  assert.equal(body.enabled, false);
  const failed = await developer().get<DeliveryDetail>(at(`/${webhook.id}/deliveries/${delivery}`));
  assert.deepEqual([failed.body.status, failed.body.error], ['failed', 'the webhook was disabled']);
  assert.equal((await developer().delete(at(`/${webhook.id}`))).status, 204);
  for (const path of ['', '/deliveries', `/deliveries/${delivery}`, '/activity?span=24h', '/failed'])
    assert.equal((await developer().get(at(`/${webhook.id}${path}`))).status, 404, path);
});

test('a test of a webhook returns the response of the receiver, and the delivery shows the request and response bodies', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 503, body: 'try later' } });
  const webhook = await create(receiver.url);
  const { body } = await developer().post<WebhookTest>(at(`/${webhook.id}/test`));
  assert.deepEqual([body.success, body.http_status], [false, 503]);
  const path = at(`/${webhook.id}/deliveries/${body.delivery_id}`);
  const { body: delivery } = await developer().get<DeliveryDetail>(path);
  assert.equal(delivery.request_body, receiver.received[0]?.body);
  assert.deepEqual([delivery.response_body, delivery.hides_bodies], ['try later', false]);
  assert.deepEqual(
    delivery.request_headers.map(({ name }) => name),
    [
      'Content-Type',
      'User-Agent',
      'X-Mail-Signature',
      'Webhook-Id',
      'Webhook-Timestamp',
      'Webhook-Signature',
    ],
  );
});

test('viewers see a delivery without its bodies, unless they may see email bodies', async () => {
  const webhook = await create();
  await acceptEmails(dashboard.db.database, dashboard.project.id, 1);
  const [row] = await deliveriesOf(dashboard.db.database, keyOf(webhook));
  assert.ok(row !== undefined);
  const path = at(`/${webhook.id}/deliveries/${encodeId('dlv', row.id)}`);
  const hidden = await dashboard.as('viewer').get<DeliveryDetail>(path);
  assert.deepEqual([hidden.body.hides_bodies, hidden.body.request_body], [true, '']);
  const allowed = await dashboard.newUser('viewer', { seesBodies: true });
  const shown = await allowed.get<DeliveryDetail>(path);
  assert.match(shown.body.request_body, /"email\.queued"/);
});

test('deliveries are paged and can be filtered by status, type and time', async () => {
  const webhook = await create();
  const ids: string[] = [];
  for (const status of ['delivered', 'failed', 'pending'] as const)
    ids.push(await add(webhook, { status, attempts: 1 }));
  const list = async (query: string) =>
    (await developer().get<DeliveryPage>(at(`/${webhook.id}/deliveries${query}`))).body;
  const first = await list('?limit=2');
  assert.deepEqual(
    first.data.map(({ id }) => id),
    [ids[2], ids[1]],
  );
  const second = await list(`?limit=2&cursor=${first.next_cursor}`);
  assert.deepEqual([second.data.map(({ id }) => id), second.next_cursor], [[ids[0]], null]);
  assert.deepEqual(
    (await list('?status=failed&type=email.sent&since=2020-01-01T00:00:00.000Z')).data.map(({ id }) => id),
    [ids[1]],
  );
  assert.deepEqual((await list('?until=2020-01-01T00:00:00.000Z')).data, []);
  for (const query of ['?status=lost', '?limit=0', '?cursor=x', '?since=yesterday', '?other=1'])
    assert.equal((await developer().get(at(`/${webhook.id}/deliveries${query}`))).status, 422, query);
});

test('replaying a failed delivery twice queues it only once', async () => {
  const webhook = await create();
  const delivery = await add(webhook, { status: 'failed', attempts: 12 });
  const path = at(`/${webhook.id}/deliveries/${delivery}/replay`);
  const answers = await Promise.all([1, 2, 3].map(() => developer().post<DeliveryDetail>(path)));
  for (const { status, body } of answers)
    assert.deepEqual([status, body.status, body.attempts], [200, 'pending', 0]);
  assert.equal((await deliveriesOf(dashboard.db.database, keyOf(webhook))).length, 1);
});

test('a successful delivery, or a delivery in the path of another webhook, cannot be replayed', async () => {
  const [webhook, other] = [await create(), await create()];
  const delivered = await add(webhook, { status: 'delivered', attempts: 1 });
  const refused = await developer().post(at(`/${webhook.id}/deliveries/${delivered}/replay`));
  assert.equal(refused.status, 400);
  const failed = await add(webhook, { status: 'failed', attempts: 12 });
  assert.equal((await developer().post(at(`/${other.id}/deliveries/${failed}/replay`))).status, 404);
  assert.equal((await developer().get(at(`/${other.id}/deliveries/${failed}`))).status, 404);
});

test('the deliveries failed since a time can be counted and replayed once, and the replay can be stopped', async () => {
  const webhook = await create();
  for (let count = 0; count < 3; count++) await add(webhook, { status: 'failed', attempts: 12 });
  const since = '2020-01-01T00:00:00.000Z';
  const counted = await developer().get(at(`/${webhook.id}/failed?since=${since}`));
  assert.deepEqual(counted.body, { count: 3, has_more: false });
  const path = at(`/${webhook.id}/replay`);
  const started = await developer().post<WebhookReplay>(path, { since });
  assert.deepEqual([started.status, started.body.total, started.body.since], [202, 3, since]);
  assert.deepEqual((await developer().post<WebhookReplay>(path, { since: null })).body, started.body);
  const stopped = await developer().delete<WebhookReplay>(path);
  assert.equal(stopped.body.ended_by, 'stopped');
  const { body } = await developer().get<DashboardWebhookDetail>(at(`/${webhook.id}`));
  assert.deepEqual(body.replay, stopped.body);
});

test('a pending delivery is made due at once, and the audit log names the user once', async () => {
  const webhook = await create();
  const nextAttemptAt = new Date(Date.now() + 3_600_000);
  const delivery = await add(webhook, { attempts: 4, httpStatus: 500, nextAttemptAt });
  const path = at(`/${webhook.id}/deliveries/${delivery}/retry`);
  const answers = await Promise.all([1, 2, 3].map(() => developer().post<DeliveryDetail>(path)));
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.status, body.attempts], [200, 'pending', 4]);
    assert.ok(Date.parse(body.next_attempt_at ?? '') <= Date.now());
  }
  assert.equal((await dashboard.as('viewer').post(path)).status, 403);
  const actions = await dashboard.db.database
    .selectFrom('auditLog')
    .select(['action', 'actorId'])
    .where('target', '=', delivery)
    .execute();
  assert.deepEqual(actions, [{ action: 'webhook.retry-delivery', actorId: developer().userId }]);
});

test('a delivery that is being sent is not sent a second time, and one that has ended stays as it is', async () => {
  const [webhook, other] = [await create(), await create()];
  const nextAttemptAt = new Date(Date.now() + 45_000);
  const delivery = await add(webhook, { attempts: 1, nextAttemptAt });
  // The lease does not exist: its worker may have lost it, and still have a response that is not written.
  await dashboard.db.database
    .updateTable('dueDeliveries')
    .set({ leaseId: newUuid() })
    .where('id', '=', decodeId('dlv', delivery) as string)
    .execute();
  const path = at(`/${webhook.id}/deliveries/${delivery}/retry`);
  const { body } = await developer().post<DeliveryDetail>(path);
  assert.deepEqual([body.is_sending, body.next_attempt_at], [true, nextAttemptAt.toISOString()]);
  const retry = (of: Webhook, id: string) =>
    developer().post<DeliveryDetail>(at(`/${of.id}/deliveries/${id}/retry`));
  const delivered = await add(webhook, { status: 'delivered', attempts: 1, httpStatus: 200 });
  assert.equal((await retry(webhook, delivered)).body.status, 'delivered');
  const failed = await add(webhook, { status: 'failed', attempts: 12 });
  const refused = await retry(webhook, failed);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Replay it/);
  assert.equal((await retry(other, delivery)).status, 404);
});

test('all pending deliveries of a webhook are retried once, and the retry can be stopped', async () => {
  const webhook = await create();
  const nextAttemptAt = new Date(Date.now() + 3_600_000);
  for (let count = 0; count < 3; count++) await add(webhook, { attempts: 4, nextAttemptAt });
  const detail = async () =>
    (await dashboard.as('viewer').get<DashboardWebhookDetail>(at(`/${webhook.id}`))).body;
  assert.deepEqual((await detail()).retryable, { count: 3, has_more: false });
  const path = at(`/${webhook.id}/retry`);
  assert.equal((await dashboard.as('viewer').post(path)).status, 403);
  const started = await developer().post<WebhookRetry>(path);
  assert.deepEqual([started.status, started.body.total, started.body.retried], [202, 3, 0]);
  assert.deepEqual((await developer().post<WebhookRetry>(path)).body, started.body);
  const stopped = await developer().delete<WebhookRetry>(path);
  assert.equal(stopped.body.ended_by, 'stopped');
  assert.deepEqual((await detail()).retry, stopped.body);
  await developer().patch(at(`/${webhook.id}`), { enabled: false });
  assert.equal((await developer().post(path)).status, 400);
});

test('a rotation shows the secret once and shows its end, and can be cancelled or finished', async () => {
  const webhook = await create();
  const rotate = () => developer().post<RotatedSecret>(at(`/${webhook.id}/secret`), { overlap_hours: 24 });
  const { body } = await rotate();
  assert.notEqual(body.secret, webhook.secret);
  const shown = await developer().get<DashboardWebhookDetail>(at(`/${webhook.id}`));
  assert.equal(shown.body.previous_secret_until, body.previous_secret_until);
  assert.ok(!shown.text.includes('whsec'));
  const headersNow = async () => {
    const path = at(`/${webhook.id}/deliveries/${delivery}`);
    return (await developer().get<DeliveryDetail>(path)).body.request_headers.filter(({ name }) =>
      name.includes('Signature'),
    );
  };
  const mail = { name: 'X-Mail-Signature', value: 't=<unix seconds>,v1=<hex>' };
  const standard = { name: 'Webhook-Signature', value: 'v1,<base64>' };
  const delivery = await add(webhook, { nextAttemptAt: new Date(Date.now() + 3_600_000) });
  assert.deepEqual(await headersNow(), [
    mail,
    { ...mail, name: 'X-Mail-Signature-Next' },
    { ...standard, value: 'v1,<base64> v1,<base64>' },
  ]);
  const cancelled = await developer().post<DashboardWebhookDetail>(at(`/${webhook.id}/secret/cancel`));
  assert.equal(cancelled.body.previous_secret_until, null);
  assert.deepEqual(await headersNow(), [mail, standard]);
  assert.equal((await developer().post(at(`/${webhook.id}/secret/cancel`))).status, 400);
  await rotate();
  const finished = await developer().post<DashboardWebhookDetail>(at(`/${webhook.id}/secret/finish`));
  assert.equal(finished.body.previous_secret_until, null);
  assert.equal((await developer().post(at(`/${webhook.id}/secret`), { overlap_hours: 2 })).status, 422);
});

test('rotating a secret or deleting a webhook requires a recent confirmation', async () => {
  const webhook = await create();
  const user = await dashboard.newUser('developer');
  await dashboard.db.database
    .updateTable('sessions')
    .set({ confirmedAt: new Date(Date.now() - 3_600_000) })
    .where('id', '=', user.sessionId)
    .execute();
  for (const [path, body] of [
    ['secret', { overlap_hours: 24 }],
    ['secret/finish', undefined],
    ['secret/cancel', undefined],
  ] as const) {
    const refused = await user.post(at(`/${webhook.id}/${path}`), body);
    assert.deepEqual([refused.status, refused.body['type']], [403, '/errors/confirmation-required']);
  }
  assert.equal((await user.delete(at(`/${webhook.id}`))).status, 403);
});

test('attempts of a webhook are counted per hour and per day', async () => {
  const webhook = await create();
  for (const [span, steps] of [
    ['24h', 24],
    ['7d', 168],
    ['30d', 30],
  ] as const) {
    const { body } = await dashboard
      .as('viewer')
      .get<WebhookActivityDetail>(at(`/${webhook.id}/activity?span=${span}`));
    assert.deepEqual([body.delivered.length, body.failed.length], [steps, steps]);
  }
});

test('every operation reports a webhook of another organization as unknown', async () => {
  const webhook = await create();
  const delivery = await add(webhook, { status: 'failed', attempts: 12 });
  const unknown = (path: string) =>
    at(`/wh_${'0'.repeat(26)}${path}`).replace(delivery, `dlv_${'0'.repeat(26)}`);
  const other = dashboard.as('other');
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { enabled: false }],
    ['DELETE', ''],
    ['POST', '/test'],
    ['GET', '/activity?span=24h'],
    ['GET', '/deliveries'],
    ['GET', `/deliveries/${delivery}`],
    ['POST', `/deliveries/${delivery}/replay`],
    ['POST', `/deliveries/${delivery}/retry`],
    ['GET', '/failed'],
    ['POST', '/retry'],
    ['DELETE', '/retry'],
    ['POST', '/replay', { since: null }],
    ['DELETE', '/replay'],
    ['POST', '/secret', { overlap_hours: 1 }],
    ['POST', '/secret/finish'],
    ['POST', '/secret/cancel'],
  ] as const) {
    const options = body === undefined ? {} : { body };
    // Request the webhook below its own project first, and then below a project of the other organization.
    assert.equal((await other.request(method, at(`/${webhook.id}${path}`), options)).status, 404);
    const own = `/projects/${dashboard.foreignProjectId}/webhooks`;
    assert.equal((await other.request(method, `${own}/${webhook.id}${path}`, options)).status, 404);
    assert.equal(
      (await developer().request(method, unknown(path), options)).status,
      404,
      `${method} ${path}`,
    );
  }
  const { body } = await developer().get<DashboardWebhookDetail>(at(`/${webhook.id}`));
  assert.deepEqual(
    [body.enabled, body.replay, body.retry, body.previous_secret_until],
    [true, null, null, null],
  );
});

test('changes of webhooks are in the audit log, with the actor and without secrets', async () => {
  const webhook = await create();
  await developer().patch(at(`/${webhook.id}`), { url: 'https://hooks.acme.example/v2' });
  await developer().delete(at(`/${webhook.id}`));
  const rows = await dashboard.db.database
    .selectFrom('auditLog')
    .selectAll()
    .where('target', '=', webhook.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ action, actorId }) => [action, actorId]),
    ['create', 'update', 'delete'].map((verb) => [`webhook.${verb}`, developer().userId]),
  );
  assert.deepEqual(rows[1]?.after, { url: 'https://hooks.acme.example/v2' });
  assert.ok(!JSON.stringify(rows).includes(webhook.secret));
});
