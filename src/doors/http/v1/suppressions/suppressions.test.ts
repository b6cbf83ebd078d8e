import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOSTED_DOMAIN, type RealApi, startRealApi } from '../../../../../test/support/api.ts';
import type { AddedSuppressions, Suppression, SuppressionList } from '../../../../contract/suppressions.ts';

let api: RealApi;
before(async () => {
  api = await startRealApi();
});
after(() => api[Symbol.asyncDispose]());

const pathOf = (address: string) => `/v1/suppressions/${encodeURIComponent(address)}`;

test('an address can be suppressed, fetched and removed, and mail is then sent to the address again', async () => {
  const { client } = await api.newProject('suppressions', 'paid');
  const added = await client.post<AddedSuppressions>('/v1/suppressions', {
    addresses: ['Ann@dst.test'],
    reason: 'unsubscribe',
    expires_at: '2127-01-31T00:00:00Z',
  });
  assert.equal(added.status, 200);
  const [entry] = added.body.data;
  assert.deepEqual(entry, {
    address: 'Ann@dst.test',
    reason: 'unsubscribe',
    email_id: null,
    detail: null,
    created_at: entry?.created_at,
    expires_at: '2127-01-31T00:00:00.000Z',
  });
  assert.deepEqual((await client.get<Suppression>(pathOf('ann@DST.test'))).body, entry);
  assert.deepEqual((await client.get<SuppressionList>('/v1/suppressions?reason=unsubscribe')).body, {
    data: [entry],
    next_cursor: null,
  });
  assert.equal((await client.delete(pathOf('ann@dst.test'))).status, 204);
  assert.equal((await client.get(pathOf('ann@dst.test'))).status, 404);
  assert.equal((await client.delete(pathOf('ann@dst.test'))).status, 404);
});

test('an address with any characters can be fetched by its path, and an invalid address returns 404', async () => {
  const { client } = api.project;
  for (const address of ['a/b@dst.test', '"a b"@dst.test', 'a%2f@dst.test', 'ä@dst.test', '..@dst.test'])
    assert.equal((await client.get(pathOf(address))).status, 404, address);
  const addresses = [
    'a/b@dst.test',
    '"a b"@dst.test',
    'a%2f@dst.test',
    'ä@dst.test',
    `${'x'.repeat(64)}@dst.test`,
  ];
  assert.equal((await client.post('/v1/suppressions', { addresses })).status, 200);
  for (const address of addresses) {
    const { status, body } = await client.get<Suppression>(pathOf(address));
    assert.deepEqual([status, body.address], [200, address]);
  }
  for (const text of ['nobody', 'a@b@c', '%00', ' '])
    assert.equal((await client.get(pathOf(text))).status, 404, text);
});

test('the suppression list of another project cannot be read or changed', async () => {
  const { client } = api.project;
  await client.post('/v1/suppressions', { addresses: ['mine@dst.test'] });
  const other = api.other.client;
  assert.equal((await other.get(pathOf('mine@dst.test'))).status, 404);
  assert.equal((await other.delete(pathOf('mine@dst.test'))).status, 404);
  assert.deepEqual((await other.get<SuppressionList>('/v1/suppressions')).body.data, []);
  assert.equal((await client.get(pathOf('mine@dst.test'))).status, 200);
});

test('invalid addresses are reported by field, and no address is added', async () => {
  const { client } = await api.newProject('wrong', 'paid');
  const WRONG: readonly [body: object, field: string][] = [
    [{}, 'addresses'],
    [{ addresses: [] }, 'addresses'],
    [{ addresses: Array.from({ length: 1_001 }, (_, at) => `a${at}@dst.test`) }, 'addresses'],
    [{ addresses: ['a@dst.test', `b@${HOSTED_DOMAIN}, c@dst.test`] }, 'addresses'],
    [{ addresses: ['a@dst.test'], reason: 'mood' }, 'reason'],
    [{ addresses: ['a@dst.test'], expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ addresses: ['a@dst.test'], address: 'a@dst.test' }, 'address'],
  ];
  for (const [body, field] of WRONG) {
    const answer = await client.post('/v1/suppressions', body);
    assert.equal(answer.status, 422, field);
    assert.deepEqual(Object.keys(answer.body['errors'] as object), [field]);
  }
  for (const query of ['limit=0', 'limit=201', 'cursor=x', 'reason=mood', 'since=yesterday', 'q=a'])
    assert.equal((await client.get(`/v1/suppressions?${query}`)).status, 422, query);
  assert.deepEqual((await client.get<SuppressionList>('/v1/suppressions')).body.data, []);
});
