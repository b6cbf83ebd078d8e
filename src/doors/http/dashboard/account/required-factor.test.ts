/** Tests that organizations can require a second factor or OpenID of their members, and the installation can require one of operators. */
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { TOTP } from 'otpauth';
import { resetSecondFactor } from '../../../../accounts/factors/reset-second-factor.ts';
import { quickHash } from '../../../../../test/support/quick-hash.ts';
import {
  readOperatorSignIn,
  requireOperatorSignIn,
  requireSignIn,
} from '../../../../accounts/required-sign-in.ts';
import { makeResetLink } from '../../../../accounts/sign-in-links.ts';
import { encodeId, newUuid, timeOf } from '../../../../model/ids.ts';
import type { Role } from '../../../../model/roles.ts';
import type { SignInRequirement } from '../../../../model/sign-in-requirements.ts';
import type { Session } from '../../../../contract/dashboard/session.ts';
import { browserClients } from '../../browser/browser-client.fixture.ts';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';
import { DASHBOARD_OPERATIONS } from '../operations.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());
afterEach(async () => {
  const { database } = dashboard.db;
  await requireSignIn(database, dashboard.organization.uuid, null, null);
  await requireOperatorSignIn(database, null, null);
});

const PASSWORD = 'correct horse battery';
const hashed = quickHash(PASSWORD);
const STEP_MS = 30_000;

/** Sets the requirement of the organization, as the command line does. */
const setRequirement = (required: SignInRequirement | null) =>
  requireSignIn(dashboard.db.database, dashboard.organization.uuid, required, null);

async function newUser(role: Role, fields: { isOperator?: boolean } = {}): Promise<TestUser> {
  const user = await dashboard.newUser(role, fields);
  await dashboard.db.database
    .updateTable('users')
    .set({ passwordHash: hashed })
    .where('id', '=', user.userId)
    .execute();
  return user;
}

/** Sets up an authenticator app with the code of the previous time step, so that the current code stays unused. */
async function enroll(user: TestUser): Promise<{ status: number; codeAt(step: number): string }> {
  const { status, body } = await user.post<{ secret: string; ticket: string }>('/user/authenticator-app');
  if (status !== 200) return { status, codeAt: () => '' };
  const totp = new TOTP({ secret: body.secret });
  const codeAt = (step: number) => totp.generate({ timestamp: Date.now() + step * STEP_MS });
  const confirmed = await user.post('/user/authenticator-app/confirmation', {
    ticket: body.ticket,
    code: codeAt(-1),
  });
  return { status: confirmed.status, codeAt };
}

const emails = (user: Pick<TestUser, 'get'>) => user.get(`/projects/${dashboard.projectId}/emails`);
const slug = ({ body }: { body: Record<string, unknown> | null }) =>
  String(body?.['type'] ?? '').replace('/errors/', '');
const session = async (user: Pick<TestUser, 'get'>) => (await user.get<Session>('/session')).body;

/** Returns a browser that has the session cookie of a response. */
function signedIn(headers: Headers) {
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  const token = cookie.slice(cookie.indexOf('=') + 1);
  return browserClients(dashboard.baseUrl, '/dashboard/api')('', { cookie, token });
}

test('a member who lacks the required second factor can only set one up, and then has full access', async () => {
  const { userId, email, ...before } = await newUser('owner');
  assert.equal((await emails(before)).status, 200);
  await setRequirement('second-factor');
  // Servers cache the earlier session for two seconds, so start another session.
  const user = await dashboard.signIn(userId, email);
  const refused = await emails(user);
  assert.deepEqual([refused.status, slug(refused)], [403, 'stronger-sign-in-required']);
  assert.equal(refused.body['required_sign_in'], 'second-factor');
  const { organizations, projects } = await session(user);
  assert.deepEqual(projects, []);
  assert.partialDeepStrictEqual(organizations, [
    { required_sign_in: 'second-factor', lacks: 'second-factor' },
  ]);
  assert.equal((await enroll(user)).status, 200);
  assert.equal((await emails(user)).status, 200);
  assert.ok((await session(user)).projects.some(({ id }) => id === dashboard.projectId));
});

test('without the required factor, only the operations that set one up are allowed, whatever the role', async () => {
  await setRequirement('second-factor');
  await requireOperatorSignIn(dashboard.db.database, 'second-factor', null);
  const user = await newUser('owner', { isOperator: true });
  const open: string[] = [];
  for (const { operationId, method, path, role } of DASHBOARD_OPERATIONS) {
    if (role === 'anyone') continue;
    const url = path
      .replace('{project}', dashboard.projectId)
      .replace('{organization}', dashboard.organization.id)
      .replace(/\{\w+\}/g, encodeId('key', newUuid()));
    const answer = await user.request<Record<string, unknown>>(method, `${url}?asked-by-a-test=`);
    if (slug(answer) !== 'stronger-sign-in-required') open.push(operationId);
  }
  assert.deepEqual(open, [
    'getSession',
    'signOut',
    'confirmSession',
    'askConfirmationPasskey',
    'startOpenIdConfirmation',
    'finishOpenIdConfirmation',
    'getAccount',
    'startTotp',
    'confirmTotp',
    'makeRecoveryCodes',
    'startPasskey',
    'addPasskey',
  ]);
});

test('signing in with a second factor gives full access, and signing in with only the password does not', async () => {
  const user = await newUser('developer');
  const { codeAt } = await enroll(user);
  await setRequirement('second-factor');
  const first = await dashboard.signedOut.post<{ next: string; ticket: string }>('/session', {
    email: user.email,
    password: PASSWORD,
  });
  assert.deepEqual([first.body.next, first.headers.get('set-cookie')], ['second-factor', null]);
  const second = await dashboard.signedOut.post('/session/second-factor', {
    ticket: first.body.ticket,
    code: codeAt(0),
  });
  assert.equal((await emails(signedIn(second.headers))).status, 200);
});

test('setting up the first second factor ends the other sessions of the user', async () => {
  const user = await newUser('developer');
  const stolen = await dashboard.signIn(user.userId, user.email);
  assert.equal((await stolen.get('/session')).status, 200);
  await setRequirement('second-factor');
  assert.equal((await enroll(user)).status, 200);
  const { length } = await dashboard.db.database
    .selectFrom('sessions')
    .select('id')
    .where('userId', '=', user.userId)
    .execute();
  assert.equal(length, 1);
});

test('a session older than the second factor cannot add a passkey until it is confirmed with a code', async () => {
  const user = await newUser('developer');
  const { codeAt } = await enroll(user);
  // Imitates a session that started before an upgrade.
  const before = await dashboard.signIn(user.userId, user.email);
  await setRequirement('second-factor');
  assert.equal(slug(await emails(before)), 'stronger-sign-in-required');
  assert.equal(slug(await before.post('/user/passkeys/question')), 'stronger-sign-in-required');
  assert.equal((await before.post('/session/confirmation', { password: PASSWORD })).status, 200);
  assert.equal(slug(await emails(before)), 'stronger-sign-in-required');
  assert.equal((await before.post('/session/confirmation', { code: codeAt(0) })).status, 200);
  assert.equal((await emails(before)).status, 200);
  assert.equal((await before.post('/user/passkeys/question')).status, 200);
});

test('the last second factor cannot be removed while one is required', async () => {
  const user = await newUser('developer');
  await enroll(user);
  await setRequirement('second-factor');
  const refused = await user.delete('/user/authenticator-app');
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body), /is the last second factor, and .+ requires one/);
  await setRequirement(null);
  assert.equal((await user.delete('/user/authenticator-app')).status, 204);
});

test('a member whose lost second factor was turned off on the command line must set up another second factor', async () => {
  const user = await newUser('developer');
  await enroll(user);
  await setRequirement('second-factor');
  assert.equal((await emails(user)).status, 200);
  await resetSecondFactor(dashboard.db.database, user.userId);
  const again = await dashboard.signIn(user.userId, user.email);
  assert.equal(slug(await emails(again)), 'stronger-sign-in-required');
  assert.equal((await enroll(again)).status, 200);
  assert.equal((await emails(again)).status, 200);
});

test('only an owner who has a second factor can require a second factor', async () => {
  const path = `/organizations/${dashboard.organization.id}/required-sign-in`;
  const owner = await newUser('owner');
  const without = await owner.put(path, { required: 'second-factor' });
  assert.equal(without.status, 422);
  assert.match(JSON.stringify(without.body), /would lock you out/);
  await enroll(owner);
  assert.equal((await owner.put(path, { required: 'second-factor' })).status, 204);
  assert.equal(slug(await emails(dashboard.as('viewer'))), 'stronger-sign-in-required');
  // No OpenID provider is configured in this test.
  const openId = await owner.put(path, { required: 'openid' });
  assert.equal(openId.status, 422);
  assert.match(JSON.stringify(openId.body), /OpenID provider/);
  const change = await dashboard.db.database
    .selectFrom('auditLog')
    .select(['before', 'after'])
    .where('action', '=', 'organization.require-sign-in')
    .where('actorName', '=', owner.email)
    .executeTakeFirstOrThrow();
  assert.deepEqual(change, {
    before: { required_sign_in: null },
    after: { required_sign_in: 'second-factor' },
  });
});

test('an operator without the required factor cannot use System, but keeps the rights of the role', async () => {
  const path = '/system/required-sign-in';
  const operator = await newUser('viewer', { isOperator: true });
  assert.equal((await operator.put(path, { required: 'second-factor' })).status, 422);
  await enroll(operator);
  assert.equal((await operator.put(path, { required: 'second-factor' })).status, 204);
  assert.deepEqual((await operator.get(path)).body, { required: 'second-factor' });
  assert.equal(await readOperatorSignIn(dashboard.db.database), 'second-factor');
  const other = await newUser('viewer', { isOperator: true });
  assert.equal(slug(await other.get('/system/processes')), 'stronger-sign-in-required');
  assert.partialDeepStrictEqual((await session(other)).user, {
    is_operator: false,
    operator_lacks: 'second-factor',
  });
  // The organization of this operator requires no factor.
  assert.equal((await emails(other)).status, 200);
  await enroll(other);
  assert.equal((await other.get('/system/processes')).status, 200);
});

test('if OpenID is required, neither a password nor a reset link gives access', async () => {
  const user = await newUser('owner');
  const id = newUuid();
  await dashboard.db.database
    .insertInto('userIdentities')
    .values({
      userId: user.userId,
      id,
      issuer: 'https://id.example',
      subject: id,
      email: user.email,
      createdAt: timeOf(id),
      usedAt: timeOf(id),
    })
    .execute();
  await setRequirement('openid');
  const byPassword = await dashboard.signedOut.post('/session', { email: user.email, password: PASSWORD });
  assert.equal(slug(await emails(signedIn(byPassword.headers))), 'stronger-sign-in-required');
  const { token } = await makeResetLink(dashboard.db.database, user.userId);
  const byLink = await dashboard.signedOut.post('/links/reset', { token, password: 'another horse battery' });
  const linked = signedIn(byLink.headers);
  assert.equal(slug(await emails(linked)), 'stronger-sign-in-required');
  assert.equal((await enroll(user)).status, 401, 'the link ended the earlier session');
  // A second factor is not enough, and the link to the OpenID provider cannot be removed.
  const unlink = await linked.delete(`/user/identities/${encodeId('idn', id)}`);
  assert.equal(slug(unlink), 'stronger-sign-in-required');
  await dashboard.db.database
    .updateTable('sessions')
    .set({ withOpenid: true })
    .where('userId', '=', user.userId)
    .execute();
  assert.equal((await emails(linked)).status, 200);
  const refused = await linked.delete(`/user/identities/${encodeId('idn', id)}`);
  assert.equal(refused.status, 422);
  assert.match(JSON.stringify(refused.body), /is required by/);
});

test('a new member who accepts an invitation must first set up the required factor', async () => {
  const owner = await newUser('owner');
  await enroll(owner);
  await setRequirement('second-factor');
  const email = 'grace@required.example';
  const { body } = await owner.post<{ url: string }>(
    `/organizations/${dashboard.organization.id}/invitations`,
    { email, role: 'viewer' },
  );
  const accepted = await dashboard.signedOut.post('/links/invitation', {
    token: body.url.split('#')[1],
    name: 'Grace',
    password: PASSWORD,
  });
  const grace = signedIn(accepted.headers);
  assert.equal(slug(await emails(grace)), 'stronger-sign-in-required');
  assert.equal((await grace.get('/user')).status, 200);
});

test("a requirement of one organization blocks neither other organizations nor the user's own account", async () => {
  const user = await newUser('developer');
  await dashboard.db.database
    .insertInto('memberships')
    .values({
      organizationId: dashboard.otherOrganization.uuid,
      userId: user.userId,
      role: 'viewer',
      seesBodies: false,
      createdAt: new Date(),
    })
    .execute();
  await setRequirement('second-factor');
  assert.equal(slug(await emails(user)), 'stronger-sign-in-required');
  assert.equal((await user.get(`/projects/${dashboard.foreignProjectId}/emails`)).status, 200);
  assert.equal((await user.get('/sessions')).status, 200);
});
