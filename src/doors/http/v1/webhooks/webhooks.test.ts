import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type RealApi, startRealApi } from '../../../../../test/support/api.ts';
import {
  isSigned,
  isStandardSigned,
  startWebhookReceiver,
} from '../../../../../test/support/webhook-receiver.ts';
import { deliveriesOf, insertDelivery } from '../../../../../test/support/webhooks.ts';
import type {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDetail,
  WebhookList,
  WebhookTest,
} from '../../../../contract/webhooks.ts';
import { EVENT_KEYS } from '../../../../model/event-keys.ts';
import { decodeId, encodeId, newUuid, timeOf } from '../../../../model/ids.ts';
import { findRemovals, removing } from '../../../../retention/removals.ts';
import type { DeliveryRow } from '../../../../webhooks/records.ts';
import { rotateSecret } from '../../../../webhooks/rotation.ts';

interface Problem {
  type: string;
  errors: Record<string, string>;
  instance: string;
}

const URL_OF_NOBODY = 'https://hooks.acme.example/mail';
const UNKNOWN = `wh_${'0'.repeat(26)}`;
let api: RealApi;

before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

async function create(
  url = URL_OF_NOBODY,
  events: readonly string[] = ['email.sent'],
): Promise<CreatedWebhook> {
  const { status, body } = await api.project.client.post<CreatedWebhook>('/v1/webhooks', { url, events });
  assert.equal(status, 201);
  return body;
}

function uuidOf(webhook: { id: string }): string {
  return decodeId('wh', webhook.id) as string;
}

function addDelivery(webhook: { id: string }, fields: Partial<DeliveryRow> = {}): Promise<string> {
  const key = { projectId: api.project.id, webhookId: uuidOf(webhook) };
  return insertDelivery(api.db.database, key, { nextAttemptAt: new Date(), ...fields });
}

async function fetched(webhook: { id: string }): Promise<WebhookDetail> {
  return (await api.project.client.get<WebhookDetail>(`/v1/webhooks/${webhook.id}`)).body;
}

async function removeInBackground(): Promise<void> {
  const { database } = api.db;
  for (const removal of await findRemovals(database)) {
    for await (const _ of removing(database, removal));
  }
}

describe('create', () => {
  test('returns the webhook as requested, enabled, with its secret', async () => {
    const events = ['email.bounced', 'email.queued'];
    const { id, secret, created_at, ...rest } = await create(URL_OF_NOBODY, events);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{64}$/);
    assert.equal(created_at, timeOf(uuidOf({ id })).toISOString());
    assert.deepEqual(rest, {
      url: URL_OF_NOBODY,
      events,
      enabled: true,
      disabled_reason: null,
      updated_at: created_at,
      last_success_at: null,
      last_failure_at: null,
    });
  });

  test('returns the secret only once and stores it sealed', async () => {
    const webhook = await create();
    const answers = await Promise.all([
      api.project.client.get('/v1/webhooks'),
      api.project.client.get(`/v1/webhooks/${webhook.id}`),
      api.project.client.patch(`/v1/webhooks/${webhook.id}`, { enabled: false }),
    ]);
    for (const { text } of answers) assert.ok(!text.includes('whsec_') && !text.includes('secret'));
    const row = await api.db.database
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', uuidOf(webhook))
      .executeTakeFirstOrThrow();
    assert.ok(!JSON.stringify(row).includes(webhook.secret));
    assert.equal(api.sealer.open(row.secretSealed, `webhooks/${row.id}`).toString(), webhook.secret);
  });

  const REFUSED: readonly [title: string, body: unknown, fields: string[]][] = [
    ['nothing', {}, ['events', 'url']],
    ['no events', { url: URL_OF_NOBODY, events: [] }, ['events']],
    ['an event twice', { url: URL_OF_NOBODY, events: ['email.sent', 'email.sent'] }, ['events']],
    ['the test event', { url: URL_OF_NOBODY, events: ['webhook.test'] }, ['events']],
    ['a deferral', { url: URL_OF_NOBODY, events: ['email.deferred'] }, ['events']],
    ['events that are not a list', { url: URL_OF_NOBODY, events: 'email.sent' }, ['events']],
    ['an invalid URL', { url: 'hooks.acme.example', events: ['email.sent'] }, ['url']],
    ['another scheme', { url: 'ftp://hooks.acme.example', events: ['email.sent'] }, ['url']],
    ['credentials', { url: 'https://a:b@hooks.acme.example', events: ['email.sent'] }, ['url']],
    ['a long URL', { url: `${URL_OF_NOBODY}${'x'.repeat(2_048)}`, events: ['email.sent'] }, ['url']],
    ['a field for updates', { url: URL_OF_NOBODY, events: ['email.sent'], enabled: true }, ['enabled']],
    ['a given secret', { url: URL_OF_NOBODY, events: ['email.sent'], secret: 'whsec_x' }, ['secret']],
  ];
  for (const [title, body, fields] of REFUSED) {
    test(`rejects ${title}`, async () => {
      const answer = await api.project.client.post<Problem>('/v1/webhooks', body);
      assert.equal(answer.status, 422);
      assert.deepEqual(Object.keys(answer.body.errors).sort(), fields);
    });
  }

  test('accepts only https URLs of public hosts in production', async () => {
    await using production = await startRealApi({ environment: 'production' });
    const post = (url: string) =>
      production.project.client.post<Problem>('/v1/webhooks', { url, events: ['email.sent'] });
    assert.equal((await post(URL_OF_NOBODY)).status, 201);
    for (const url of [
      'http://hooks.acme.example/',
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://localhost/',
    ]) {
      const { status, body } = await post(url);
      assert.equal(status, 422);
      assert.deepEqual(Object.keys(body.errors), ['url'], url);
    }
  });

  test('accepts a blocked address in development, because the address is checked when connecting', async () => {
    const webhook = await create('http://10.0.0.1/');
    const { body } = await api.project.client.post<WebhookTest>(`/v1/webhooks/${webhook.id}/test`);
    assert.deepEqual([body.http_status, body.success], [null, false]);
    assert.equal((await fetched(webhook)).deliveries[0]?.error, 'the address is not public');
  });

  test('allows at most fifty webhooks per project, even with concurrent requests', async () => {
    const { client } = await api.newProject('many webhooks', 'paid');
    const body = { url: URL_OF_NOBODY, events: ['email.sent'] };
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => client.post<Problem>('/v1/webhooks', body)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(refused.length, 10);
    for (const { status, body } of refused) {
      assert.deepEqual(
        [status, body.type, Object.keys(body.errors)],
        [422, '/errors/plan-limit-exceeded', ['url']],
      );
    }
    const { data } = (await client.get<WebhookList>('/v1/webhooks')).body;
    assert.equal(data.length, 50);
    assert.equal((await client.delete(`/v1/webhooks/${data[0]?.id}`)).status, 204);
    assert.equal((await client.post('/v1/webhooks', body)).status, 201);
  });

  test('with any input stores the input unchanged or returns 422, and never a 5xx', async () => {
    const { client } = await api.newProject('generated webhooks', 'paid');
    const url = fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string(), fc.anything());
    const events = fc.oneof(
      fc.subarray([...EVENT_KEYS], { minLength: 1 }),
      fc.array(fc.constantFrom(...EVENT_KEYS, 'webhook.test')),
      fc.anything(),
    );
    const body = fc.oneof(
      { weight: 4, arbitrary: fc.record({ url, events }, { requiredKeys: [] }) },
      { weight: 1, arbitrary: fc.anything() },
    );
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        const rawBody = JSON.stringify(sent) ?? '';
        const made = await client.post<CreatedWebhook>('/v1/webhooks', undefined, {
          rawBody,
          headers: { 'content-type': 'application/json' },
        });
        assert.ok([201, 400, 422].includes(made.status), `${made.status} ${rawBody}`);
        if (made.status !== 201) return;
        const asked = JSON.parse(rawBody) as { url: string; events: string[] };
        const found = (await client.get<WebhookDetail>(`/v1/webhooks/${made.body.id}`)).body;
        assert.deepEqual([found.url, found.events], [asked.url, asked.events]);
        await client.delete(`/v1/webhooks/${made.body.id}`);
      }),
      { numRuns: 150 },
    );
  });
});

describe('list and fetch', () => {
  test('return the webhooks of the project, oldest first', async () => {
    const { client } = await api.newProject('listing', 'paid');
    assert.deepEqual((await client.get('/v1/webhooks')).body, { data: [] });
    const made = [];
    for (const events of [['email.sent'], ['email.opened'], ['email.clicked']]) {
      const { secret: _, ...webhook } = (
        await client.post<CreatedWebhook>('/v1/webhooks', { url: URL_OF_NOBODY, events })
      ).body;
      made.push(webhook);
    }
    assert.deepEqual((await client.get('/v1/webhooks')).body, { data: made });
  });

  test('return a webhook with its newest twenty deliveries, newest first', async () => {
    const webhook = await create();
    const ids: string[] = [];
    for (let count = 0; count < 22; count++) ids.push(await addDelivery(webhook));
    const { deliveries, ...rest } = await fetched(webhook);
    const { secret: _, ...record } = webhook;
    assert.deepEqual(rest, record);
    assert.deepEqual(
      deliveries.map(({ id }) => id),
      ids
        .toReversed()
        .slice(0, 20)
        .map((id) => encodeId('dlv', id)),
    );
  });

  test('return a delivery with its body and the outcome of its last attempt', async () => {
    const webhook = await create();
    const send = { from: 'a@hosted.example', to: ['b@dst.example'], subject: 'Hä', text: 'x', tags: ['t'] };
    const email = (await api.project.client.post<{ id: string }>('/v1/emails', send)).body;
    const { events } = (
      await api.project.client.get<{ events: { id: string; created_at: string }[] }>(`/v1/emails/${email.id}`)
    ).body;
    const event = events[0] as { id: string; created_at: string };
    const lastAttemptAt = new Date('2026-11-20T15:04:05.123Z');
    const nextAttemptAt = new Date('2026-11-20T15:04:35.123Z');
    const id = await addDelivery(webhook, {
      eventId: decodeId('evt', event.id) as string,
      emailId: decodeId('em', email.id),
      type: 'email.queued',
      attempts: 1,
      httpStatus: 503,
      durationMs: 12,
      responseBody: 'busy',
      lastAttemptAt,
      nextAttemptAt,
    });
    const { request_body, ...rest } = (await fetched(webhook)).deliveries[0] as WebhookDelivery;
    assert.deepEqual(rest, {
      id: encodeId('dlv', id),
      event_id: event.id,
      email_id: email.id,
      type: 'email.queued',
      status: 'pending',
      attempts: 1,
      max_attempts: 12,
      http_status: 503,
      error: null,
      duration_ms: 12,
      response_body: 'busy',
      truncated: false,
      created_at: timeOf(id).toISOString(),
      last_attempt_at: lastAttemptAt.toISOString(),
      next_attempt_at: nextAttemptAt.toISOString(),
      delivered_at: null,
    });
    assert.deepEqual(JSON.parse(request_body), {
      id: event.id,
      type: 'email.queued',
      created_at: event.created_at,
      data: {
        email_id: email.id,
        status: 'queued',
        from: send.from,
        to: send.to,
        subject: 'Hä',
        provider_message_id: null,
        tags: ['t'],
        event_payload: null,
      },
    });
  });

  test('truncate a long response body and mark it as truncated', async () => {
    const webhook = await create();
    const tags = Array.from({ length: 20 }, () => 'ü'.repeat(250));
    const send = { from: 'a@hosted.example', to: ['b@dst.example'], text: 'x', tags };
    const email = (await api.project.client.post<{ id: string }>('/v1/emails', send)).body;
    const detail = (await api.project.client.get<{ events: { id: string }[] }>(`/v1/emails/${email.id}`))
      .body;
    await addDelivery(webhook, {
      eventId: decodeId('evt', detail.events[0]?.id ?? '') as string,
      emailId: decodeId('em', email.id),
      type: 'email.queued',
    });
    const [delivery] = (await fetched(webhook)).deliveries;
    const bytes = Buffer.byteLength(delivery?.request_body ?? '');
    assert.ok(bytes <= 4_096 && bytes > 4_092);
    assert.equal(delivery?.truncated, true);
  });

  test('return a delivery without its body after the email is deleted', async () => {
    const webhook = await create();
    await addDelivery(webhook);
    assert.equal((await fetched(webhook)).deliveries[0]?.request_body, '');
  });
});

describe('update', () => {
  test('changes each field separately and keeps the secret', async () => {
    const { secret, ...webhook } = await create();
    const path = `/v1/webhooks/${webhook.id}`;
    let expected: Record<string, unknown> = webhook;
    for (const change of [
      { url: 'http://localhost:1/x' },
      { events: ['email.clicked', 'email.failed'] },
      { enabled: false },
      { enabled: true, url: URL_OF_NOBODY },
    ]) {
      const { status, body } = await api.project.client.patch<Webhook>(path, change);
      assert.equal(status, 200);
      assert.ok(body.updated_at >= String(expected['updated_at']));
      expected = { ...expected, ...change, updated_at: body.updated_at };
      assert.deepEqual(body, expected);
    }
    const { secretSealed } = await api.db.database
      .selectFrom('webhooks')
      .select('secretSealed')
      .where('id', '=', uuidOf(webhook))
      .executeTakeFirstOrThrow();
    assert.equal(api.sealer.open(secretSealed, `webhooks/${uuidOf(webhook)}`).toString(), secret);
  });

  test('changes nothing without a body, with an empty body, or with the current values', async () => {
    const { secret: _, ...webhook } = await create();
    const path = `/v1/webhooks/${webhook.id}`;
    const id = await addDelivery(webhook);
    assert.deepEqual((await api.project.client.patch(path)).body, webhook);
    assert.deepEqual((await api.project.client.patch(path, {})).body, webhook);
    assert.deepEqual((await api.project.client.patch(path, { enabled: true })).body, webhook);
    const [delivery] = (await fetched(webhook)).deliveries;
    assert.deepEqual([delivery?.id, delivery?.status], [encodeId('dlv', id), 'pending']);
  });

  const REFUSED: readonly [body: unknown, field: string][] = [
    [{ url: 'nowhere' }, 'url'],
    [{ url: null }, 'url'],
    [{ events: [] }, 'events'],
    [{ events: ['email.sent', 'email.sent'] }, 'events'],
    [{ enabled: 'false' }, 'enabled'],
    [{ enabled: null }, 'enabled'],
    [{ secret: 'whsec_x' }, 'secret'],
    [{ disabled_reason: null }, 'disabled_reason'],
  ];
  for (const [body, field] of REFUSED) {
    test(`rejects ${JSON.stringify(body)}, even for an unknown webhook`, async () => {
      const webhook = await create();
      for (const id of [webhook.id, UNKNOWN, 'malformed']) {
        const answer = await api.project.client.patch<Problem>(`/v1/webhooks/${id}`, body);
        assert.equal(answer.status, 422);
        assert.deepEqual(Object.keys(answer.body.errors), [field]);
      }
      const { deliveries: _, ...now } = await fetched(webhook);
      assert.deepEqual({ ...now, secret: webhook.secret }, webhook);
    });
  }

  test('disabling a webhook fails only its pending deliveries', async () => {
    const webhook = await create();
    const other = await create();
    await addDelivery(webhook);
    await addDelivery(webhook, {
      attempts: 3,
      nextAttemptAt: new Date(Date.now() + 60_000),
      httpStatus: 500,
    });
    await addDelivery(webhook, { status: 'delivered', nextAttemptAt: null, deliveredAt: new Date() });
    await addDelivery(webhook, { status: 'failed', nextAttemptAt: null, error: 'connection refused' });
    await addDelivery(other);
    await api.project.client.patch(`/v1/webhooks/${webhook.id}`, { enabled: false });
    const { deliveries, disabled_reason } = await fetched(webhook);
    assert.equal(disabled_reason, null);
    assert.deepEqual(
      deliveries.map(({ status, error, next_attempt_at }) => [status, error, next_attempt_at]),
      [
        ['failed', 'connection refused', null],
        ['delivered', null, null],
        ['failed', 'the webhook was disabled', null],
        ['failed', 'the webhook was disabled', null],
      ],
    );
    assert.equal((await fetched(other)).deliveries[0]?.status, 'pending');
  });

  test('disabling a webhook fails all pending deliveries, even if that takes many statements', async () => {
    const webhook = await create();
    const { database } = api.db;
    const rows = Array.from({ length: 5_000 }, () => ({
      projectId: api.project.id,
      webhookId: uuidOf(webhook),
      eventId: newUuid(),
      emailId: newUuid(),
      type: 'email.sent' as const,
    }));
    for (let batch = 0; batch < 5; batch++) {
      // Many deliveries have the same time, as they do after an outage.
      const nextAttemptAt = new Date(Date.now() + Math.floor(batch / 3));
      await database
        .insertInto('dueDeliveries')
        .values(rows.map((row) => ({ ...row, id: newUuid(), nextAttemptAt })))
        .execute();
    }
    const disabled = await api.project.client.patch(`/v1/webhooks/${webhook.id}`, { enabled: false });
    assert.equal(disabled.status, 200);
    const left = await database
      .selectFrom('deliveries')
      .select((column) => ['status', column.fn.countAll<string>().as('count')])
      .where('webhookId', '=', uuidOf(webhook))
      .groupBy('status')
      .execute();
    assert.deepEqual(left, [{ status: 'failed', count: '25000' }]);
    assert.equal((await api.project.client.delete(`/v1/webhooks/${webhook.id}`)).status, 204);
    await removeInBackground();
    const gone = await database
      .selectFrom('deliveries')
      .select('id')
      .where('webhookId', '=', uuidOf(webhook))
      .executeTakeFirst();
    assert.equal(gone, undefined);
  });

  test('enabling a webhook that the service disabled resets its failure count', async () => {
    const webhook = await create();
    const since = new Date('2026-11-01T00:00:00.000Z');
    await api.db.database
      .updateTable('webhooks')
      .set({ enabled: false, disabledReason: 'failing', failingSince: since, lastFailureAt: since })
      .where('id', '=', uuidOf(webhook))
      .execute();
    await addDelivery(webhook);
    assert.equal((await fetched(webhook)).disabled_reason, 'failing');
    const path = `/v1/webhooks/${webhook.id}`;
    const again = (await api.project.client.patch<Webhook>(path, { enabled: false })).body;
    assert.equal(again.disabled_reason, 'failing');
    const { body } = await api.project.client.patch<Webhook>(path, { enabled: true });
    assert.deepEqual(
      [body.enabled, body.disabled_reason, body.last_failure_at],
      [true, null, since.toISOString()],
    );
    const row = await api.db.database
      .selectFrom('webhooks')
      .select('failingSince')
      .where('id', '=', uuidOf(webhook))
      .executeTakeFirst();
    assert.equal(row?.failingSince, null);
    assert.equal((await fetched(webhook)).deliveries[0]?.status, 'failed');
  });

  test('with any input stores the input, keeps omitted fields, and never returns a 5xx', async () => {
    const webhook = await create();
    const path = `/v1/webhooks/${webhook.id}`;
    const change = fc.record(
      {
        url: fc.oneof(fc.webUrl(), fc.anything()),
        events: fc.oneof(fc.subarray([...EVENT_KEYS]), fc.anything()),
        enabled: fc.oneof(fc.boolean(), fc.boolean(), fc.anything()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(change, async (sent) => {
        const earlier = await fetched(webhook);
        const asked = JSON.parse(JSON.stringify(sent)) as Record<string, unknown>;
        const { status } = await api.project.client.patch(path, asked);
        assert.ok(status === 200 || status === 422);
        const now = await fetched(webhook);
        const expected = status === 200 ? { ...earlier, ...asked, updated_at: now.updated_at } : earlier;
        assert.deepEqual(now, expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('delete', () => {
  test('deletes the webhook and its deliveries, and no other webhooks', async () => {
    const [webhook, other] = [await create(), await create()];
    for (const one of [webhook, other]) {
      await addDelivery(one, { status: 'failed' });
      await addDelivery(one);
    }
    const path = `/v1/webhooks/${webhook.id}`;
    assert.equal((await api.project.client.delete(path)).status, 204);
    assert.equal((await api.project.client.get(path)).status, 404);
    assert.equal((await api.project.client.delete(path)).status, 404);
    await removeInBackground();
    const left = await Promise.all(
      [webhook, other].map((one) =>
        deliveriesOf(api.db.database, { projectId: api.project.id, webhookId: uuidOf(one) }),
      ),
    );
    assert.deepEqual(
      left.map((rows) => rows.map(({ status }) => status)),
      [[], ['failed', 'pending']],
    );
  });
});

describe('test', () => {
  async function run(webhook: { id: string }): Promise<WebhookTest> {
    const { status, body } = await api.project.client.post<WebhookTest>(`/v1/webhooks/${webhook.id}/test`);
    assert.equal(status, 200);
    return body;
  }

  test('sends a signed webhook.test immediately and logs the delivery', async () => {
    await using receiver = await startWebhookReceiver({ answer: { status: 204 } });
    const webhook = await create(receiver.url);
    const result = await run(webhook);
    const [post] = receiver.received;
    assert.ok(post !== undefined && isSigned(post, webhook.secret) && isStandardSigned(post, webhook.secret));
    assert.equal(post.headers['content-type'], 'application/json');
    assert.equal(post.headers['user-agent'], 'Service-Webhooks/1.0');
    const body = JSON.parse(post.body) as { id: string; type: string; data: unknown };
    assert.deepEqual([body.type, body.data], ['webhook.test', { webhook_id: webhook.id }]);
    const { deliveries, last_success_at } = await fetched(webhook);
    const delivery = deliveries[0] as WebhookDelivery;
    assert.deepEqual(result, { http_status: 204, success: true, delivery_id: delivery.id });
    assert.deepEqual(delivery, {
      ...delivery,
      event_id: body.id,
      email_id: null,
      type: 'webhook.test',
      status: 'delivered',
      attempts: 1,
      max_attempts: 1,
      http_status: 204,
      error: null,
      request_body: post.body,
      response_body: '',
      truncated: false,
      next_attempt_at: null,
    });
    assert.ok(
      delivery.last_attempt_at !== null && delivery.delivered_at !== null && delivery.duration_ms !== null,
    );
    // A test delivery does not set `last_success_at`.
    assert.equal(last_success_at, null);
  });

  test('returns 200 with the result, whatever the receiver responds, and retries nothing', async () => {
    await using receiver = await startWebhookReceiver();
    const webhook = await create(receiver.url);
    for (const status of [199 + 1, 301, 400, 500]) {
      receiver.answerWith({ status, headers: { location: receiver.url }, body: 'w\u0000ü'.repeat(3_000) });
      const result = await run(webhook);
      assert.deepEqual([result.http_status, result.success], [status, status === 200]);
      const [delivery] = (await fetched(webhook)).deliveries;
      assert.equal(delivery?.status, status === 200 ? 'delivered' : 'failed');
      assert.equal(delivery?.truncated, true);
      assert.ok(Buffer.byteLength(delivery?.response_body ?? '') > 4_090);
    }
    assert.equal(receiver.received.length, 4);
    receiver.answerWith('reset');
    const result = await run(webhook);
    assert.deepEqual([result.http_status, result.success], [null, false]);
    const [delivery] = (await fetched(webhook)).deliveries;
    assert.deepEqual(
      [delivery?.status, delivery?.error, delivery?.next_attempt_at],
      ['failed', 'the connection was closed before a response', null],
    );
  });

  test('works for a disabled webhook, which stays disabled', async () => {
    await using receiver = await startWebhookReceiver();
    const webhook = await create(receiver.url);
    await api.project.client.patch(`/v1/webhooks/${webhook.id}`, { enabled: false });
    assert.equal((await run(webhook)).success, true);
    assert.equal((await fetched(webhook)).enabled, false);
  });

  test('signs with the old and the new secret in separate headers during a rotation', async () => {
    await using receiver = await startWebhookReceiver();
    const webhook = await create(receiver.url);
    const rotated = await rotateSecret(api.db.database, api.sealer, api.project.id, uuidOf(webhook), 24);
    await run(webhook);
    const [post] = receiver.received;
    assert.ok(post !== undefined && rotated !== null);
    assert.ok(isSigned(post, webhook.secret) && !isSigned(post, rotated.secret));
    assert.ok(isSigned(post, rotated.secret, 'x-mail-signature-next'));
  });

  test('leaves no delivery if the webhook is deleted during the test', async () => {
    await using receiver = await startWebhookReceiver();
    const webhook = await create(receiver.url);
    const gone = Promise.withResolvers<unknown>();
    receiver.answerWith(() => {
      gone.resolve(api.project.client.delete(`/v1/webhooks/${webhook.id}`));
      return { delayMs: 200 };
    });
    const tested = await api.project.client.post(`/v1/webhooks/${webhook.id}/test`);
    await gone.promise;
    assert.equal(tested.status, 404);
    const left = await api.db.database
      .selectFrom('deliveries')
      .select('id')
      .where('webhookId', '=', uuidOf(webhook))
      .executeTakeFirst();
    assert.equal(left, undefined);
  });

  test('runs at most twenty times at once per project, without delaying another project', async () => {
    await using receiver = await startWebhookReceiver({ answer: 'silence' });
    const webhook = await create(receiver.url);
    const test = () => api.project.client.post<Problem>(`/v1/webhooks/${webhook.id}/test`);
    const running = Array.from({ length: 20 }, test);
    await receiver.waitFor(20);
    const refused = await test();
    assert.deepEqual([refused.status, refused.body.type], [429, '/errors/rate-limited']);
    await using quick = await startWebhookReceiver();
    const { id } = (
      await api.other.client.post<Webhook>('/v1/webhooks', { url: quick.url, events: ['email.sent'] })
    ).body;
    assert.equal((await api.other.client.post(`/v1/webhooks/${id}/test`)).status, 200);
    // Disposing the receiver ends the twenty test deliveries.
    await receiver[Symbol.asyncDispose]();
    for (const { status } of await Promise.all(running)) assert.equal(status, 200);
    assert.equal((await test()).status, 200);
  });
});

describe('isolation', () => {
  const OPERATIONS = [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/test'],
  ] as const;

  test('a webhook of another project gets the same response bytes as an unknown webhook, and stays unchanged', async () => {
    await using receiver = await startWebhookReceiver();
    const webhook = await create(receiver.url);
    const id = await addDelivery(webhook);
    for (const [method, suffix] of OPERATIONS) {
      const body = method === 'PATCH' ? { body: { enabled: false } } : {};
      const answer = async (id: string) => {
        const {
          status,
          text,
          body: problem,
        } = await api.other.client.request<Problem>(method, `/v1/webhooks/${id}${suffix}`, body);
        assert.equal(status, 404);
        return text.replace(problem.instance, '');
      };
      const unknown = await answer(UNKNOWN);
      assert.equal(await answer(webhook.id), unknown);
      assert.equal(await answer('malformed'), unknown);
    }
    assert.deepEqual(receiver.received, []);
    const { deliveries, ...rest } = await fetched(webhook);
    assert.deepEqual({ ...rest, secret: webhook.secret }, webhook);
    assert.deepEqual([deliveries[0]?.id, deliveries[0]?.status], [encodeId('dlv', id), 'pending']);
    const { data } = (await api.other.client.get<WebhookList>('/v1/webhooks')).body;
    assert.ok(!data.some((other) => other.id === webhook.id));
  });

  test('each operation on webhooks requires its scope', async () => {
    const webhook = await create();
    const reader = await api.project.clientWith(['webhooks:read']);
    const writer = await api.project.clientWith(['webhooks:write']);
    assert.equal((await reader.get('/v1/webhooks')).status, 200);
    assert.equal((await reader.get(`/v1/webhooks/${webhook.id}`)).status, 200);
    assert.equal((await reader.post('/v1/webhooks', {})).status, 403);
    assert.equal((await reader.patch(`/v1/webhooks/${webhook.id}`, {})).status, 403);
    assert.equal((await reader.post(`/v1/webhooks/${webhook.id}/test`)).status, 403);
    assert.equal((await reader.delete(`/v1/webhooks/${webhook.id}`)).status, 403);
    assert.equal((await writer.get('/v1/webhooks')).status, 403);
    assert.equal((await writer.get(`/v1/webhooks/${webhook.id}`)).status, 403);
    assert.equal((await writer.delete(`/v1/webhooks/${webhook.id}`)).status, 204);
  });
});
