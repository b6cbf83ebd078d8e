import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeResetLink, makeWelcomeLink } from '../../../../accounts/sign-in-links.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const PASSWORD = 'correct horse battery';
const expire = () =>
  dashboard.db.database
    .updateTable('signInLinks')
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .execute();

test('a reset link sets a new password once, and ends all sessions of the user', async () => {
  const user = await dashboard.newUser('developer');
  const { token } = await makeResetLink(dashboard.db.database, user.userId);
  const { body: link } = await dashboard.signedOut.post('/links', { token });
  assert.partialDeepStrictEqual(link, { purpose: 'reset', email: user.email, has_account: true });
  const weak = await dashboard.signedOut.post('/links/reset', { token, password: 'short' });
  assert.equal(weak.status, 422);
  const answers = await Promise.all(
    [1, 2, 3].map(() => dashboard.signedOut.post('/links/reset', { token, password: PASSWORD })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
  assert.equal((await user.get('/session')).status, 401);
  const signedIn = await dashboard.signedOut.post('/session', { email: user.email, password: PASSWORD });
  assert.equal(signedIn.status, 200);
});

test('a link of one purpose does not work for another purpose', async () => {
  const user = await dashboard.newUser('developer');
  const { token } = await makeResetLink(dashboard.db.database, user.userId);
  const owner = { token, name: 'Eve', email: 'eve@evil.example', password: PASSWORD };
  assert.equal((await dashboard.signedOut.post('/links/welcome', owner)).status, 404);
  const invited = { token, name: 'Eve', password: PASSWORD };
  assert.equal((await dashboard.signedOut.post('/links/invitation', invited)).status, 404);
});

test('an expired or invented link is rejected and changes nothing', async () => {
  const user = await dashboard.newUser('developer');
  const { token } = await makeResetLink(dashboard.db.database, user.userId);
  await expire();
  for (const each of [token, 'A'.repeat(43), '']) {
    assert.equal((await dashboard.signedOut.post('/links', { token: each })).status, 404);
    assert.equal(
      (await dashboard.signedOut.post('/links/reset', { token: each, password: PASSWORD })).status,
      404,
    );
  }
});

test('the first owner signs in with a startup link, which works once and only while no user exists', async () => {
  const { database } = dashboard.db;
  await database.deleteFrom('users').execute();
  const [one, two, three] = [
    await makeWelcomeLink(database),
    await makeWelcomeLink(database),
    await makeWelcomeLink(database),
  ];
  const owner = { name: 'Ada', email: 'ada@acme.example', password: PASSWORD, organization: 'Acme' };
  const blank = await dashboard.signedOut.post('/links/welcome', { token: one, ...owner, organization: ' ' });
  assert.deepEqual(Object.keys((blank.body as { errors: object }).errors), ['organization']);
  const answers = await Promise.all(
    [one, one, two].map((token) => dashboard.signedOut.post('/links/welcome', { token, ...owner })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
  assert.equal((await dashboard.signedOut.post('/links', { token: three })).status, 404);
  assert.equal(await makeWelcomeLink(database), null);
  const cookie = answers.find(({ status }) => status === 200)?.headers.get('set-cookie') ?? '';
  const { body } = await dashboard.signedOut.get('/session', {
    headers: { cookie: cookie.split(';')[0] ?? '' },
  });
  assert.partialDeepStrictEqual(body, {
    user: { name: 'Ada', email: 'ada@acme.example', is_operator: true },
    organizations: [{ name: 'Acme', role: 'owner' }],
  });
});
