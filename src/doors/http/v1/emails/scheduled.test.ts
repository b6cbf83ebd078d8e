import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../../test/support/api.ts';

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

const HOUR_MS = 3_600_000;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const send = (scheduled_at: string) =>
  api.project.client.post('/v1/emails', {
    from: `shop@${HOSTED_DOMAIN}`,
    to: ['b@dst.test'],
    text: 'It works.',
    scheduled_at,
  });

test('a scheduled email is queued and shows when it will be sent', async () => {
  const { client } = api.project;
  const at = inMs(HOUR_MS);
  const { status, body } = await send(at.replace('Z', '+00:00'));
  assert.deepEqual([status, body['status']], [202, 'queued']);
  const shown = await client.get(`/v1/emails/${body['id']}`);
  assert.deepEqual([shown.body['status'], shown.body['scheduled_at']], ['queued', at]);
  const list = await client.get<{ data: { scheduled_at: string }[] }>('/v1/emails?limit=1');
  assert.equal(list.body.data[0]?.scheduled_at, at);
});

test('scheduled_at may be up to 30 days in the future and up to five minutes in the past', async () => {
  for (const [at, error] of [
    [inMs(30 * 24 * HOUR_MS - 60_000), null],
    [inMs(30 * 24 * HOUR_MS + 60_000), /30 days/],
    [inMs(-4 * 60_000), null],
    [inMs(-6 * 60_000), /past/],
    ['tomorrow', /date-time/],
    ['2026-11-21T08:00:00', /date-time/],
  ] as const) {
    const { status, body } = await send(at);
    assert.equal(status, error === null ? 202 : 422, at);
    if (error !== null) assert.match((body['errors'] as Record<string, string>)['scheduled_at'] ?? '', error);
  }
});

test('a scheduled email can be cancelled repeatedly, and each response is the cancelled email', async () => {
  const { client } = api.project;
  const { body } = await send(inMs(HOUR_MS));
  const path = `/v1/emails/${body['id']}/cancel`;
  const first = await client.post(path);
  assert.deepEqual([first.status, first.body['status']], [200, 'failed']);
  const events = first.body['events'] as { type: string; detail: object | null }[];
  assert.partialDeepStrictEqual(events.at(-1), { type: 'failed', detail: { reason: 'cancelled' } });
  const again = await client.post(path);
  assert.deepEqual([again.status, again.text], [200, first.text]);
});

test('cancelling an email of another project returns 404, and cancelling with a read-only key returns 403', async () => {
  const { body } = await send(inMs(HOUR_MS));
  const path = `/v1/emails/${body['id']}/cancel`;
  assert.equal((await api.other.client.post(path)).status, 404);
  assert.equal((await api.project.client.post('/v1/emails/em_1/cancel')).status, 404);
  assert.equal((await (await api.project.clientWith(['emails:read'])).post(path)).status, 403);
});
