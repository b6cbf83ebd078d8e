import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../../../../test/support/eventually.ts';
import { quickHash } from '../../../../../test/support/quick-hash.ts';
import { encodeId } from '../../../../model/ids.ts';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const PASSWORD = 'correct horse battery';
const hashed = quickHash(PASSWORD);

async function newUser(): Promise<TestUser> {
  const user = await dashboard.newUser('viewer');
  const { database } = dashboard.db;
  await database.updateTable('users').set({ passwordHash: hashed }).where('id', '=', user.userId).execute();
  return user;
}

const sessionsOf = ({ userId }: TestUser) =>
  dashboard.db.database.selectFrom('sessions').selectAll().where('userId', '=', userId).execute();
const cookieOf = (headers: Headers) => /^posthorn_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1];
const typeOf = (body: object) => (body as { type?: string }).type;

test('the session shows the user with the organizations and projects of the user', async () => {
  const { status, body } = await dashboard.as('viewer').get('/session');
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, {
    user: { email: dashboard.as('viewer').email, is_operator: false },
    organizations: [{ id: dashboard.organization.id, name: 'default', role: 'viewer' }],
    projects: [
      { id: dashboard.projectId, name: 'one', role: 'viewer', sees_bodies: false },
      { name: 'two', role: 'viewer' },
    ],
    service: { provider: 'sandbox', hosted_domain: 'hosted.example', base_url: dashboard.baseUrl },
  });
});

test('the session shows the time since which sending is paused', async () => {
  const since = async () =>
    (await dashboard.as('viewer').get<{ service: { not_sending_since: string | null } }>('/session')).body
      .service.not_sending_since;
  assert.equal(await since(), null);
  const row = { name: 'provider_away_since', value: '2026-11-20T15:04:05.123Z' };
  await dashboard.db.database.insertInto('settings').values(row).execute();
  assert.equal(await since(), row.value);
  await dashboard.db.database.deleteFrom('settings').where('name', '=', row.name).execute();
});

test('signing in with any spelling of the address sets an HttpOnly session cookie', async () => {
  const user = await newUser();
  const credentials = { email: user.email.toUpperCase(), password: PASSWORD };
  const { status, headers, body } = await dashboard.signedOut.post('/session', credentials);
  assert.equal(status, 200);
  assert.deepEqual(body, { next: 'done' });
  assert.match(
    headers.get('set-cookie') ?? '',
    /^posthorn_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const cookie = `posthorn_session=${cookieOf(headers)}`;
  const session = await dashboard.signedOut.get('/session', { headers: { cookie } });
  assert.partialDeepStrictEqual(session.body, { user: { email: user.email } });
});

test('a wrong password and an unknown address return the same response', async () => {
  const user = await newUser();
  const wrong = await dashboard.signedOut.post('/session', { email: user.email, password: 'wrong horse' });
  const unknown = await dashboard.signedOut.post('/session', {
    email: 'x@nowhere.example',
    password: PASSWORD,
  });
  const malformed = await dashboard.signedOut.post('/session', { email: 'nobody', password: PASSWORD });
  for (const { status, body } of [wrong, unknown, malformed]) {
    assert.equal(status, 401);
    assert.deepEqual({ ...body, instance: '' }, { ...wrong.body, instance: '' });
  }
});

test('signing in creates a new session and ends the previous session of the browser', async () => {
  const user = await newUser();
  const { headers } = await dashboard.signedOut.post(
    '/session',
    { email: user.email, password: PASSWORD },
    { headers: { cookie: `posthorn_session=${user.token}` } },
  );
  assert.notEqual(cookieOf(headers), user.token);
  const sessions = await sessionsOf(user);
  assert.deepEqual(
    sessions.map(({ id }) => id === user.sessionId),
    [false],
  );
});

test('sessions are listed, and a user can end one session or all other sessions', async () => {
  const user = await newUser();
  const [phone, laptop] = [
    await dashboard.signIn(user.userId, user.email),
    await dashboard.signIn(user.userId, user.email),
  ];
  const { body } = await user.get<{ data: { id: string; is_current: boolean; address: string }[] }>(
    '/sessions',
  );
  assert.deepEqual(
    body.data.map(({ is_current, address }) => [is_current, address]),
    [
      [false, '192.0.2.1'],
      [false, '192.0.2.1'],
      [true, '192.0.2.1'],
    ],
  );
  assert.equal((await user.delete(`/sessions/${encodeId('ses', phone.sessionId)}`)).status, 204);
  assert.equal((await user.delete(`/sessions/${encodeId('ses', phone.sessionId)}`)).status, 404);
  assert.equal((await phone.get('/session')).status, 401);
  assert.equal((await laptop.get('/session')).status, 200);
  assert.equal((await user.delete('/sessions')).status, 204);
  assert.ok(await eventually(async () => (await laptop.get('/session')).status === 401, 3_000));
  assert.equal((await user.get('/session')).status, 200);
});

test('a session of another user is reported as unknown', async () => {
  const { sessionId } = dashboard.as('owner');
  const { status } = await dashboard.as('admin').delete(`/sessions/${encodeId('ses', sessionId)}`);
  assert.equal(status, 404);
});

test('signing out ends the session and clears the cookie', async () => {
  const user = await newUser();
  const { status, headers } = await user.delete('/session');
  assert.equal(status, 204);
  assert.match(headers.get('set-cookie') ?? '', /^posthorn_session=; Max-Age=0; /);
  assert.deepEqual(await sessionsOf(user), []);
});

test('a session ends after 14 days without use, and after 90 days in any case', async () => {
  const day = 86_400_000;
  for (const [column, days, status] of [
    ['usedAt', 13.9, 200],
    ['usedAt', 14.1, 401],
    ['createdAt', 89.9, 200],
    ['createdAt', 90.1, 401],
  ] as const) {
    const user = await newUser();
    await dashboard.db.database
      .updateTable('sessions')
      .set({ [column]: new Date(Date.now() - days * day) })
      .where('userId', '=', user.userId)
      .execute();
    assert.equal((await user.get('/session')).status, status, `${column} ${days}`);
  }
});

test('the last use of a session is stored at most once a minute', async () => {
  const user = await newUser();
  const set = (secondsAgo: number) =>
    dashboard.db.database
      .updateTable('sessions')
      .set({ usedAt: new Date(Date.now() - secondsAgo * 1_000) })
      .where('userId', '=', user.userId)
      .execute();
  const age = async () => Date.now() - ((await sessionsOf(user))[0]?.usedAt.getTime() ?? 0);
  await set(50);
  await user.get('/session');
  assert.ok((await age()) > 40_000);
  await set(70);
  // Rights in another project are not cached, so the session is looked up again.
  await user.get(`/projects/${dashboard.projectId}/api-keys`);
  assert.ok((await age()) < 20_000);
});

test('only the correct password confirms the identity of the user', async () => {
  const user = await newUser();
  await dashboard.db.database
    .updateTable('sessions')
    .set({ confirmedAt: new Date(Date.now() - 3_600_000) })
    .where('userId', '=', user.userId)
    .execute();
  const wrong = await user.post('/session/confirmation', { password: 'wrong horse' });
  assert.equal(typeOf(wrong.body), '/errors/sign-in-refused');
  const { status, body } = await user.post('/session/confirmation', { password: PASSWORD });
  assert.equal(status, 200);
  assert.ok(Date.parse(String(body['confirmed_until'])) > Date.now() + 9 * 60_000);
  const [session] = await sessionsOf(user);
  assert.ok(Date.now() - (session?.confirmedAt.getTime() ?? 0) < 60_000);
});

test('changing the password keeps the current session and ends all other sessions', async () => {
  const user = await newUser();
  const elsewhere = await dashboard.signIn(user.userId, user.email);
  const change = (current_password: string) =>
    user.request('PUT', '/user/password', { body: { current_password, password: 'another horse battery' } });
  assert.equal((await change('wrong horse')).status, 401);
  assert.equal((await change(PASSWORD)).status, 204);
  assert.deepEqual(
    (await sessionsOf(user)).map(({ id }) => id),
    [user.sessionId],
  );
  assert.equal((await elsewhere.get('/session')).status, 401);
  const credentials = { email: user.email, password: 'another horse battery' };
  assert.equal((await dashboard.signedOut.post('/session', credentials)).status, 200);
});

test('a session gives no access to /v1', async () => {
  const { token } = dashboard.as('owner');
  for (const path of ['/v1/emails', '/v1/domains', '/api/v1/webhooks']) {
    const cookie = `posthorn_session=${token}; __Host-posthorn_session=${token}`;
    const response = await fetch(dashboard.baseUrl + path, { headers: { cookie } });
    assert.equal(response.status, 401, path);
    assert.match(await response.text(), /missing-api-key/);
  }
});
