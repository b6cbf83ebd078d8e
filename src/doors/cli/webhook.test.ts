import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type RealApi, startRealApi } from '../../../test/support/api.ts';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { insertDelivery } from '../../../test/support/webhooks.ts';
import type { CreatedWebhook, WebhookDetail } from '../../contract/webhooks.ts';
import { decodeId, encodeId, newUuid } from '../../model/ids.ts';
import type { DeliveryRow } from '../../webhooks/records.ts';
import { openSecrets, type SigningSecrets } from '../../webhooks/secret.ts';

let api: RealApi;
let webhook: CreatedWebhook;

before(async () => {
  api = await startRealApi();
  const body = { url: 'https://hooks.acme.example/', events: ['email.sent'] };
  webhook = (await api.project.client.post<CreatedWebhook>('/v1/webhooks', body)).body;
});
after(() => api[Symbol.asyncDispose]());

const run = (...args: string[]) => posthorn(environmentOf(api.db), 'webhook', ...args);

async function addDelivery(fields: Partial<DeliveryRow>): Promise<string> {
  const key = { projectId: api.project.id, webhookId: decodeId('wh', webhook.id) as string };
  return encodeId('dlv', await insertDelivery(api.db.database, key, fields));
}

const FAILED: Partial<DeliveryRow> = {
  status: 'failed',
  attempts: 12,
  httpStatus: 500,
  error: 'x',
  durationMs: 5,
  responseBody: 'no',
  responseTruncated: true,
  lastAttemptAt: new Date(),
};

const HOUR_MS = 3_600_000;

interface Rotated {
  id: string;
  secret: string;
  /** Null if only the new secret signs. */
  previous_secret_until: string | null;
}

async function rotate(...args: string[]): Promise<Rotated & { hours: number | null }> {
  const { stdout } = await run('rotate-secret', '--project', 'one', '--id', webhook.id, '--json', ...args);
  const rotated = JSON.parse(stdout) as Rotated;
  const { previous_secret_until: until } = rotated;
  return { ...rotated, hours: until && Math.round((Date.parse(until) - Date.now()) / HOUR_MS) } as Rotated & {
    hours: number | null;
  };
}

/** The signing secrets in effect `ms` milliseconds from now. */
async function signing(ms = 0): Promise<SigningSecrets> {
  const row = await api.db.database.selectFrom('webhooks').selectAll().executeTakeFirstOrThrow();
  return openSecrets(api.sealer, row, new Date(Date.now() + ms));
}

test('rotate-secret prints a new secret; both secrets sign for 24 hours, then only the new secret', async () => {
  const { id, secret, hours } = await rotate();
  assert.deepEqual([id, hours], [webhook.id, 24]);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{64}$/);
  assert.deepEqual(await signing(), { current: webhook.secret, next: secret });
  assert.deepEqual(await signing(25 * HOUR_MS), { current: secret, next: null });
});

test('rotate-secret during a rotation replaces the next secret, and the new --hours apply', async () => {
  const { secret, hours } = await rotate('--hours', '1');
  assert.equal(hours, 1);
  assert.deepEqual(await signing(), { current: webhook.secret, next: secret });
});

test('rotate-secret --now replaces the secret immediately, and a later rotation starts from the new secret', async () => {
  const { secret, hours } = await rotate('--now');
  assert.equal(hours, null);
  assert.deepEqual(await signing(), { current: secret, next: null });
  const next = await rotate('--hours', '168');
  assert.deepEqual(await signing(), { current: secret, next: next.secret });
});

for (const args of [
  ['--hours', '0'],
  ['--hours', '169'],
  ['--hours', '1.5'],
  ['--hours', 'x'],
  ['--hours', '2', '--now'],
]) {
  test(`rotate-secret rejects ${args.join(' ')} and changes nothing`, async () => {
    const before = await signing();
    const { code, stdout } = await run('rotate-secret', '--project', 'one', '--id', webhook.id, ...args);
    assert.deepEqual([code, stdout], [1, '']);
    assert.deepEqual(await signing(), before);
  });
}

test('rotate-secret reports "no such webhook" for a webhook of another project, and for an unknown or malformed id', async () => {
  const unknown = encodeId('wh', newUuid());
  for (const [project, id] of [
    ['two', webhook.id],
    ['one', unknown],
    ['one', 'wh_1'],
  ] as const) {
    const { code, stdout, stderr } = await run('rotate-secret', '--project', project, '--id', id);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /has no such webhook/);
  }
});

test('replay queues a failed delivery again and resets its attempts', async () => {
  const delivery = await addDelivery(FAILED);
  const { code, stdout } = await run('replay', '--project', 'one', '--delivery', delivery);
  assert.deepEqual([code, stdout], [0, 'The delivery is queued again.\n']);
  const { deliveries } = (await api.project.client.get<WebhookDetail>(`/v1/webhooks/${webhook.id}`)).body;
  const found = deliveries.find(({ id }) => id === delivery);
  assert.ok(
    found?.next_attempt_at !== null && Date.parse(found?.next_attempt_at ?? '') <= Date.now() + 1_000,
  );
  assert.deepEqual(found, {
    ...found,
    status: 'pending',
    attempts: 0,
    max_attempts: 12,
    http_status: null,
    error: null,
    duration_ms: null,
    response_body: '',
    truncated: false,
    last_attempt_at: null,
    delivered_at: null,
  });
});

test('replay does not change a pending delivery', async () => {
  const delivery = await addDelivery({ attempts: 3, nextAttemptAt: new Date(Date.now() + HOUR_MS) });
  const { code } = await run('replay', '--project', 'one', '--delivery', delivery);
  assert.equal(code, 0);
  const { deliveries } = (await api.project.client.get<WebhookDetail>(`/v1/webhooks/${webhook.id}`)).body;
  const found = deliveries.find(({ id }) => id === delivery);
  assert.equal(found?.attempts, 3);
  assert.ok(Date.parse(found?.next_attempt_at ?? '') > Date.now() + HOUR_MS / 2);
});

const REJECTED: readonly [title: string, fields: Partial<DeliveryRow>, message: RegExp][] = [
  ['delivered', { status: 'delivered', deliveredAt: new Date() }, /succeeded\. Only failed deliveries/],
  ['a test', { ...FAILED, type: 'webhook.test', emailId: null }, /was a test/],
];
for (const [title, fields, message] of REJECTED) {
  test(`replay rejects a delivery that is ${title}`, async () => {
    const delivery = await addDelivery(fields);
    const { code, stderr } = await run('replay', '--project', 'one', '--delivery', delivery);
    assert.equal(code, 1);
    assert.match(stderr, message);
  });
}

test('replay reports "no such delivery" for a delivery of another project, and for an unknown or malformed id', async () => {
  const delivery = await addDelivery(FAILED);
  for (const [project, id] of [
    ['two', delivery],
    ['one', encodeId('dlv', newUuid())],
    ['one', 'dlv_1'],
  ] as const) {
    const { code, stderr } = await run('replay', '--project', project, '--delivery', id);
    assert.equal(code, 1);
    assert.match(stderr, /no such delivery/);
  }
});

test('replay rejects a delivery of a disabled webhook', async () => {
  const delivery = await addDelivery(FAILED);
  await api.project.client.patch(`/v1/webhooks/${webhook.id}`, { enabled: false });
  const { code, stderr } = await run('replay', '--project', 'one', '--delivery', delivery);
  assert.equal(code, 1);
  assert.match(stderr, /is disabled\. Enable the webhook first/);
  await api.project.client.patch(`/v1/webhooks/${webhook.id}`, { enabled: true });
});
