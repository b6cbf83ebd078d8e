/** Tests that accounts cannot be taken over through mail, and that legitimate resets and invitations work. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TOTP } from 'otpauth';
import { HOSTED_DOMAIN } from '../../../../../test/support/api.ts';
import { type CaughtMail, catchMail, tokensIn } from '../../../../../test/support/caught-mail.ts';
import { eventually } from '../../../../../test/support/eventually.ts';
import { addMember } from '../../../../accounts/members/memberships.ts';
import { lockOrganization } from '../../../../accounts/organizations/organizations.ts';
import { UserIdentities } from '../../../../accounts/factors/identities.ts';
import { quickHash } from '../../../../../test/support/quick-hash.ts';
import { createUser } from '../../../../accounts/users.ts';
import { Mailboxes } from '../../../../mailboxes/mailboxes.ts';
import { decodeId, encodeId, newUuid } from '../../../../model/ids.ts';
import type { Role } from '../../../../model/roles.ts';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const PASSWORD = 'correct horse battery';
const OTHER = 'another horse battery';
const inOurs = (path: string) => `/organizations/${dashboard.organization.id}${path}`;
const unique = (name: string, domain: string) => `${name}-${newUuid().slice(-8)}@${domain}`;

async function newMember(email: string, role: Role, organizationId = dashboard.organization.uuid) {
  const passwordHash = quickHash(PASSWORD);
  const userId = await dashboard.db.database.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const id = await createUser(tx, { email, name: 'Ada', passwordHash, isOperator: role === 'owner' });
    await addMember(tx, organizationId, id, { role, seesBodies: false });
    return id;
  });
  return dashboard.signIn(userId, email);
}

/** Waits for an email to `address` whose text matches `says`, delivered to any mailbox or server. */
async function mailTo(address: string, says: RegExp) {
  const { database } = dashboard.db;
  const found: CaughtMail[] = [];
  const isThere = async () => {
    const caught = await catchMail({ database, sealer: dashboard.sealer }, HOSTED_DOMAIN);
    found.push(...caught.filter(({ to, text }) => to === address && says.test(text)));
    return found.length > 0;
  };
  assert.ok(await eventually(isThere, 10_000));
  return found;
}

async function askReset(email: string) {
  assert.equal((await dashboard.signedOut.post('/links/reset-request', { email })).status, 202);
  return mailTo(email, /A password reset was requested/);
}

const signIn = async (email: string, password: string) =>
  (await dashboard.signedOut.post<{ next?: string }>('/session', { email, password })).body.next;

const reset = (token: string, password = OTHER) =>
  dashboard.signedOut.post<{ next: string; ticket: string }>('/links/reset', { token, password });

async function mailboxBy(client: typeof dashboard.project.client, email: string) {
  const [localPart = '', domain = ''] = email.split('@');
  const { body } = await client.get<{ data: { id: string; domain: string }[] }>('/v1/domains');
  let id = body.data.find((each) => each.domain === domain)?.id;
  id ??= (await client.post<{ id: string }>('/v1/domains', { domain })).body.id;
  const made = await client.post<{ id: string }>('/v1/mailboxes', { domain_id: id, local_part: localPart });
  assert.equal(made.status, 201);
  return made.body.id;
}

test('attack: a new mailbox with the address of an owner on the hosted domain receives no reset link', async () => {
  const owner = await newMember(unique('ceo', HOSTED_DOMAIN), 'owner');
  await mailboxBy(dashboard.project.client, owner.email);
  const [mail, ...others] = await askReset(owner.email);
  assert.deepEqual([mail?.isLocal, tokensIn(mail?.text ?? ''), others.length], [true, [], 0]);
  assert.match(mail?.text ?? '', /Ask another owner of your organization, or an operator/);
  assert.equal(await signIn(owner.email, PASSWORD), 'done');
});

test('attack: an API key deletes and recreates the mailbox of an owner, and the new mailbox receives no reset link', async () => {
  const owner = await newMember(unique('cto', HOSTED_DOMAIN), 'owner');
  const { client } = dashboard.project;
  const id = await mailboxBy(client, owner.email);
  assert.equal((await client.delete(`/v1/mailboxes/${id}`)).status, 204);
  await mailboxBy(client, owner.email);
  assert.deepEqual(
    (await askReset(owner.email)).flatMap(({ text }) => tokensIn(text)),
    [],
  );
});

test('attack: an unverified claim to a domain receives no mail for the mailboxes of the domain', async () => {
  const operator = await newMember(unique('boss', 'mail.example'), 'owner');
  await mailboxBy(dashboard.project.client, operator.email);
  const mails = await askReset(operator.email);
  assert.deepEqual(
    mails.filter(({ isLocal }) => isLocal),
    [],
  );
});

test('attack: a verified domain whose MX is elsewhere receives no reset link for an operator of another organization', async () => {
  const operator = await newMember(
    unique('root', 'company.example'),
    'owner',
    dashboard.otherOrganization.uuid,
  );
  await mailboxBy(dashboard.project.client, operator.email);
  await dashboard.db.database
    .updateTable('domains')
    .set({ status: 'verified', verifiedAt: new Date() })
    .where('name', '=', 'company.example')
    .execute();
  assert.deepEqual(
    (await askReset(operator.email)).flatMap(({ text }) => tokensIn(text)),
    [],
  );
});

test('a reset link is mailed to an external address and works only once', async () => {
  const user = await newMember(unique('ada', 'elsewhere.example'), 'developer');
  const [mail] = await askReset(user.email);
  const [token = ''] = tokensIn(mail?.text ?? '');
  assert.deepEqual((await reset(token)).body, { next: 'done' });
  assert.equal((await reset(token)).status, 404);
  assert.deepEqual(
    [await signIn(user.email, PASSWORD), await signIn(user.email, OTHER)],
    [undefined, 'done'],
  );
});

async function addApp(user: TestUser): Promise<(step: number) => string> {
  const { body } = await user.post<{ secret: string; ticket: string }>('/user/authenticator-app');
  const totp = new TOTP({ secret: body.secret });
  const codeAt = (step: number) => totp.generate({ timestamp: Date.now() + step * 30_000 });
  const confirmation = { ticket: body.ticket, code: codeAt(-1) };
  assert.equal((await user.post('/user/authenticator-app/confirmation', confirmation)).status, 200);
  return codeAt;
}

test('a reset link sent to a local mailbox sets the password only after the second factor is proved', async () => {
  const user = await newMember(unique('sam', HOSTED_DOMAIN), 'developer');
  await mailboxBy(dashboard.project.client, user.email);
  const codeAt = await addApp(user);
  const [mail] = await askReset(user.email);
  const [token = ''] = tokensIn(mail?.text ?? '');
  const { body } = await reset(token);
  assert.equal(body.next, 'second-factor');
  // Attack: a reader of the mailbox sets a password, which would give access once the second factor is turned off.
  assert.equal(await signIn(user.email, OTHER), undefined);
  assert.equal((await user.get('/session')).status, 200);
  const prove = (code: string) =>
    dashboard.signedOut.post('/session/second-factor', { ticket: body.ticket, code });
  assert.equal((await prove('000000')).status, 401);
  const proved = await prove(codeAt(0));
  assert.equal(proved.status, 200);
  assert.match(proved.headers.get('set-cookie') ?? '', /^posthorn_session=/);
  assert.equal(await signIn(user.email, OTHER), 'second-factor');
});

interface Invited {
  id: string;
  url: string;
  is_mailed: boolean;
  awaits_confirmation: boolean;
}
const invite = async (email: string, role: Role, by: TestUser = dashboard.as('admin'), path = inOurs('')) =>
  (await by.post<Invited>(`${path}/invitations`, { email, role })).body;
const accept = (token: string, password = PASSWORD, by = dashboard.signedOut) =>
  by.post<{ next?: string; type?: string }>('/links/invitation', { token, name: 'Ada', password });
const tokenOf = ({ url }: Invited) => url.split('#')[1] ?? '';

async function isVerified(email: string): Promise<boolean | undefined> {
  const { body } = await dashboard
    .as('admin')
    .get<{ data: { email: string; is_verified: boolean }[] }>(inOurs('/users'));
  return body.data.find((each) => each.email === email)?.is_verified;
}

test('a mailed invitation link differs from the link shown to the inviter, and only one of the two can be used', async () => {
  for (const which of ['mailed', 'copied'] as const) {
    const email = unique('grace', 'elsewhere.example');
    const invited = await invite(email, 'developer');
    const [mail] = await mailTo(email, /invited you to join/);
    assert.deepEqual([invited.is_mailed, invited.awaits_confirmation], [true, false]);
    const [mailed = ''] = tokensIn(mail?.text ?? '');
    assert.notEqual(mailed, tokenOf(invited));
    const [used, other] = which === 'mailed' ? [mailed, tokenOf(invited)] : [tokenOf(invited), mailed];
    assert.deepEqual((await accept(used)).body, { next: 'done' });
    assert.equal((await accept(other)).status, 404);
    assert.equal(await isVerified(email), which === 'mailed');
  }
});

test('attack: an inviter creates an account for the address of another person, who gets the account with a mailed reset', async () => {
  const email = unique('victim', 'victim.example');
  const { url, id } = await invite(
    email,
    'developer',
    dashboard.as('other'),
    `/organizations/${dashboard.otherOrganization.id}`,
  );
  assert.ok(id.startsWith('inv_'));
  await accept(url.split('#')[1] ?? '');
  const { userId } = await userOf(email);
  const thief = await dashboard.signIn(userId, email);
  await addApp(thief);
  const { body: app } = await thief.post<{ secret: string; ticket: string }>('/user/authenticator-app');
  const late = { ticket: app.ticket, code: new TOTP({ secret: app.secret }).generate() };
  const tokens = (await askReset(email)).flatMap(({ text }) => tokensIn(text));
  assert.deepEqual((await reset(tokens.at(-1) ?? '')).body, { next: 'done' });
  // The sessions of the attacker may stay cached for two seconds, but cannot change how the account is accessed.
  assert.equal((await thief.post('/user/authenticator-app/confirmation', late)).status, 401);
  const change = { current_password: OTHER, password: PASSWORD };
  assert.equal((await thief.request('PUT', '/user/password', { body: change })).status, 401);
  const isOut = async () => (await thief.get('/session')).status === 401;
  assert.ok(await eventually(isOut, 4_000));
  assert.deepEqual([await signIn(email, PASSWORD), await signIn(email, OTHER)], [undefined, 'done']);
  // The account is now verified, so the next reset link requires a second factor.
  await addApp(await dashboard.signIn(userId, email));
  const next = (await askReset(email)).flatMap(({ text }) => tokensIn(text));
  assert.equal((await reset(next.at(-1) ?? '')).body.next, 'second-factor');
});

async function userOf(email: string) {
  return dashboard.db.database
    .selectFrom('users')
    .select(['id as userId', 'passwordHash', 'verifiesBy'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
}

test('a first OpenID sign-in takes an unverified account from its creator, and leaves a verified account unchanged', async () => {
  const identities = new UserIdentities(dashboard.db.database);
  for (const isCopied of [true, false]) {
    const email = unique('oidc', 'elsewhere.example');
    if (isCopied) await accept(tokenOf(await invite(email, 'developer')));
    else await newMember(email, 'developer');
    const { userId } = await userOf(email);
    await addApp(await dashboard.signIn(userId, email));
    const by = {
      issuer: 'https://id.example',
      subject: newUuid(),
      email,
      name: 'Ada',
      isEmailVerified: true,
    };
    assert.equal(await identities.signIn(by), userId);
    const { passwordHash, verifiesBy } = await userOf(email);
    assert.deepEqual([passwordHash === null, verifiesBy], [isCopied, null]);
    const sessions = dashboard.db.database.selectFrom('sessions').select('id').where('userId', '=', userId);
    assert.equal((await sessions.execute()).length === 0, isCopied);
    const apps = dashboard.db.database.selectFrom('userTotp').select('userId').where('userId', '=', userId);
    assert.equal((await apps.execute()).length, isCopied ? 0 : 1);
  }
});

test('a mailed reset keeps the second factor of a verified account, of an owner and of an operator', async () => {
  const email = unique('promoted', 'elsewhere.example');
  await accept(tokenOf(await invite(email, 'developer')));
  const { userId } = await userOf(email);
  await dashboard.db.database
    .updateTable('memberships')
    .set({ role: 'owner' })
    .where('userId', '=', userId)
    .execute();
  await addApp(await dashboard.signIn(userId, email));
  const tokens = (await askReset(email)).flatMap(({ text }) => tokensIn(text));
  assert.equal((await reset(tokens.at(-1) ?? '')).body.next, 'second-factor');
});

test('an invitation for a local mailbox is not mailed, and setting up a second factor verifies the account', async () => {
  const email = unique('lin', HOSTED_DOMAIN);
  await mailboxBy(dashboard.project.client, email);
  const invited = await invite(email, 'admin');
  assert.deepEqual([invited.is_mailed, invited.awaits_confirmation], [false, false]);
  assert.deepEqual((await accept(tokenOf(invited))).body, { next: 'done' });
  assert.equal(await isVerified(email), false);
  const { userId } = await userOf(email);
  await addApp(await dashboard.signIn(userId, email));
  assert.equal(await isVerified(email), true);
});

test('setting up a second factor does not verify an account with an external address', async () => {
  const email = unique('max', 'elsewhere.example');
  await accept(tokenOf(await invite(email, 'developer')));
  const { userId } = await userOf(email);
  await addApp(await dashboard.signIn(userId, email));
  assert.equal(await isVerified(email), false);
});

test('an invitation for a mailbox that another organization can read waits for confirmation by an owner', async () => {
  const email = unique('kim', HOSTED_DOMAIN);
  const { database } = dashboard.db;
  const projectId = decodeId('prj', dashboard.foreignProjectId) ?? '';
  const hosted = await database
    .selectFrom('domains')
    .select('id')
    .where('name', '=', HOSTED_DOMAIN)
    .executeTakeFirstOrThrow();
  await new Mailboxes({ database, hostedDomain: HOSTED_DOMAIN }).create(projectId, {
    domain_id: encodeId('dom', hosted.id),
    local_part: email.slice(0, email.indexOf('@')),
    quota_mb: 1,
  });
  const invited = await invite(email, 'viewer');
  assert.deepEqual([invited.is_mailed, invited.awaits_confirmation], [false, true]);
  const { body: link } = await dashboard.signedOut.post('/links', { token: tokenOf(invited) });
  assert.partialDeepStrictEqual(link, { awaits_confirmation: true });
  const early = await accept(tokenOf(invited));
  assert.deepEqual([early.status, early.body.type], [403, '/errors/missing-role']);
  const identities = new UserIdentities(dashboard.db.database);
  const by = { issuer: 'https://id.example', subject: newUuid(), email, name: 'Kim', isEmailVerified: true };
  assert.equal(await identities.signIn(by), null);
  const path = inOurs(`/invitations/${invited.id}/confirmation`);
  assert.equal((await dashboard.as('admin').post(path)).status, 403);
  assert.equal((await dashboard.as('owner').post(path)).status, 204);
  assert.equal((await dashboard.as('owner').post(path)).status, 404);
  assert.deepEqual((await accept(tokenOf(invited))).body, { next: 'done' });
  const own = await invite(unique('kit', HOSTED_DOMAIN), 'viewer');
  assert.equal(own.awaits_confirmation, false);
});

test('an owner can create a reset link for a member, unless the member also belongs to another organization', async () => {
  const user = await newMember(unique('joe', HOSTED_DOMAIN), 'developer');
  await mailboxBy(dashboard.project.client, user.email);
  const path = inOurs(`/users/${encodeId('usr', user.userId)}/reset-link`);
  assert.equal((await dashboard.as('admin').post(path)).status, 403);
  const { status, body } = await dashboard.as('owner').post<{ url: string }>(path);
  assert.equal(status, 201);
  assert.deepEqual((await reset(body.url.split('#')[1] ?? '')).body, { next: 'done' });
  await dashboard.db.database
    .insertInto('memberships')
    .values({
      organizationId: dashboard.otherOrganization.uuid,
      userId: user.userId,
      role: 'viewer',
      createdAt: new Date(),
    })
    .execute();
  assert.equal((await dashboard.as('owner').post(path)).status, 403);
});
