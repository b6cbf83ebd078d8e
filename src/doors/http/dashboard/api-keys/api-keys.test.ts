import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { ApiKey, ApiKeyList, CreatedApiKey } from '../../../../contract/dashboard/api-keys.ts';
import { SCOPE_TABLE } from '../../../../model/scopes.ts';
import { apiClient } from '../../../../../test/support/api-client.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let path: string;
before(async () => {
  dashboard = await startDashboard();
  path = `/projects/${dashboard.projectId}/api-keys`;
});
after(() => dashboard[Symbol.asyncDispose]());

const listed = async () => (await dashboard.as('viewer').get<ApiKeyList>(path)).body.data;
const create = (body: object) => dashboard.as('admin').post<CreatedApiKey>(path, body);

test('a key is created with its permissions, and its token is shown only once', async () => {
  const { status, body } = await create({
    name: 'staging',
    scopes: ['emails:send'],
    from_domains: ['Hosted.example'],
    recipients: ['*@acme.example'],
    addresses: ['::1', '127.0.0.0/8'],
    expires_at: '2127-01-31T00:00:00.000Z',
  });
  assert.equal(status, 201);
  const { token, ...key } = body;
  assert.match(token, /^svc_live_/);
  assert.deepEqual(key, {
    id: key.id,
    name: 'staging',
    last_four: token.slice(-4),
    scopes: ['emails:send'],
    from_domains: ['hosted.example'],
    recipients: ['*@acme.example'],
    addresses: ['::1', '127.0.0.0/8'],
    expires_at: '2127-01-31T00:00:00.000Z',
    last_used_at: null,
    created_by: 'admin',
    maker_role: 'admin',
    exceeds_maker: false,
    created_at: key.created_at,
  });
  const list = await dashboard.as('viewer').get<ApiKeyList>(path);
  assert.deepEqual(list.body.data.at(-1), key);
  assert.ok(!list.text.includes('svc_live_'));
  const send = (to: string) =>
    apiClient(dashboard.baseUrl, token).post('/v1/emails', {
      from: 'shop@hosted.example',
      to: [to],
      text: 'It works.',
    });
  assert.equal((await send('ada@acme.example')).status, 202);
  assert.equal((await send('b@dst.test')).status, 422);
});

test('a key from an earlier version has no last four characters', async () => {
  const { body } = await create({ name: 'earlier' });
  await dashboard.db.database
    .updateTable('apiKeys')
    .set({ lastFour: null })
    .where('name', '=', 'earlier')
    .execute();
  assert.equal((await listed()).find(({ id }) => id === body.id)?.last_four, null);
});

test('a key created with only a name has full access and no restrictions', async () => {
  const { body } = await create({ name: 'full' });
  assert.partialDeepStrictEqual(body, {
    scopes: null,
    from_domains: null,
    recipients: null,
    addresses: null,
    expires_at: null,
  });
});

const WRONG: readonly [body: object, field: string][] = [
  [{}, 'name'],
  [{ name: ' ' }, 'name'],
  [{ name: 'x', scopes: [] }, 'scopes'],
  [{ name: 'x', scopes: ['emails:write'] }, 'scopes'],
  [{ name: 'x', from_domains: ['@acme.example'] }, 'from_domains'],
  [{ name: 'x', recipients: ['acme.example'] }, 'recipients'],
  [{ name: 'x', recipients: [] }, 'recipients'],
  [{ name: 'x', addresses: ['office'] }, 'addresses'],
  [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  [{ name: 'x', token: 'svc_live_mine' }, 'token'],
];

test('invalid fields of a key are reported by field, and no key is created', async () => {
  const before = (await listed()).length;
  for (const [body, field] of WRONG) {
    const { status, body: problem } = await dashboard.as('admin').post(path, body);
    assert.equal(status, 422, field);
    assert.deepEqual(Object.keys(problem['errors'] as object), [field]);
  }
  assert.equal((await listed()).length, before);
});

test('a key can be renamed, and can be revoked only once', async () => {
  const { id, token } = (await create({ name: 'old' })).body;
  const client = apiClient(dashboard.baseUrl, token);
  const renamed = await dashboard.as('admin').patch<ApiKey>(`${path}/${id}`, { name: 'new' });
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'new']);
  assert.equal((await dashboard.as('developer').delete(`${path}/${id}`)).status, 204);
  // The key was never used, so it is not cached.
  assert.equal((await client.get('/v1/domains')).status, 401);
  assert.equal((await dashboard.as('developer').delete(`${path}/${id}`)).status, 404);
  assert.equal((await dashboard.as('developer').patch(`${path}/${id}`, { name: 'x' })).status, 404);
  assert.ok((await listed()).every((key) => key.id !== id));
});

test('viewers see keys but cannot change them, and members of another organization get 404', async () => {
  const { id } = (await create({ name: 'theirs' })).body;
  const viewer = dashboard.as('viewer');
  assert.ok((await listed()).some((key) => key.id === id));
  for (const { status, body } of [
    await viewer.post(path, { name: 'x' }),
    await viewer.patch(`${path}/${id}`, { name: 'x' }),
    await viewer.delete(`${path}/${id}`),
  ])
    assert.deepEqual([status, body['type']], [403, '/errors/missing-role']);
  const other = dashboard.as('other');
  const foreign = `/projects/${dashboard.foreignProjectId}/api-keys`;
  for (const { status } of [
    await other.get(path),
    await other.post(path, { name: 'x' }),
    await other.delete(`${path}/${id}`),
    // Members of another organization also cannot find the key through the path of their own project.
    await other.patch(`${foreign}/${id}`, { name: 'x' }),
    await other.delete(`${foreign}/${id}`),
  ])
    assert.equal(status, 404);
  assert.equal((await listed()).find((key) => key.id === id)?.name, 'theirs');
});

test('creating a key requires a recent confirmation', async () => {
  const { userId, email } = dashboard.as('developer');
  const user = await dashboard.signIn(userId, email);
  await dashboard.db.database
    .updateTable('sessions')
    .set({ confirmedAt: new Date(0) })
    .where('id', '=', user.sessionId)
    .execute();
  const { status, body } = await user.post(path, { name: 'x' });
  assert.deepEqual([status, body['type']], [403, '/errors/confirmation-required']);
});

test('docs/api-keys.md describes every scope', () => {
  const page = readFileSync(new URL('../../../../../docs/api-keys.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z]+:[a-z]+)` \| (.+) \|$/gm)].map(([, scope, allows = '']) => ({
    scope,
    allows: allows.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1'),
  }));
  assert.deepEqual(rows, SCOPE_TABLE);
});

test('the list of keys describes what each scope allows', async () => {
  const { body } = await dashboard.as('viewer').get<ApiKeyList>(path);
  assert.deepEqual(
    body.scopes.map(({ scope, allows }) => ({ scope, allows })),
    SCOPE_TABLE,
  );
});
