import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../../../test/support/eventually.ts';
import { actingAs, recordChange } from '../../../../accounts/audit.ts';
import { addMember, removeMember } from '../../../../accounts/members/memberships.ts';
import { lockOrganization } from '../../../../accounts/organizations/organizations.ts';
import type { AppError } from '../../../../model/app-error.ts';
import { encodeId } from '../../../../model/ids.ts';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const PASSWORD = 'correct horse battery';
const inOurs = (path: string) => `/organizations/${dashboard.organization.id}${path}`;
const pathOf = ({ userId }: TestUser) => inOurs(`/users/${encodeId('usr', userId)}`);
const typeOf = (body: object) => (body as { type?: string }).type?.replace('/errors/', '');

interface Invited {
  id: string;
  url: string;
}
async function invite(email: string, role = 'developer', by = dashboard.as('admin')): Promise<Invited> {
  const { status, body } = await by.post<Invited>(inOurs('/invitations'), { email, role });
  assert.equal(status, 201);
  return body;
}
const tokenOf = ({ url }: Invited) => url.split('#')[1] ?? '';

test('members of an organization are listed with their roles', async () => {
  const { body } = await dashboard
    .as('viewer')
    .get<{ data: { email: string; role: string }[] }>(inOurs('/users'));
  const roles = new Map(body.data.map(({ email, role }) => [email, role]));
  for (const role of ['owner', 'admin', 'developer', 'viewer'] as const)
    assert.equal(roles.get(dashboard.as(role).email), role);
  assert.ok(!roles.has(dashboard.as('other').email));
});

test('a role can be changed for the organization and lowered for a project, and both changes are logged', async () => {
  const user = await dashboard.newUser('viewer');
  const project_roles = [{ project_id: dashboard.projectId, role: 'none' }];
  const { status, body } = await dashboard
    .as('owner')
    .patch(pathOf(user), { role: 'developer', project_roles });
  assert.equal(status, 200);
  assert.partialDeepStrictEqual(body, { role: 'developer', project_roles });
  assert.equal((await user.get(`/projects/${dashboard.projectId}/api-keys`)).status, 404);
  const other = encodeId('prj', dashboard.other.id);
  assert.equal((await user.get(`/projects/${other}/api-keys`)).status, 200);
  const { body: session } = await user.get<{ projects: { id: string }[] }>('/session');
  assert.deepEqual(
    session.projects.map(({ id }) => id),
    [other],
  );
  const { body: log } = await dashboard.as('owner').get<{ data: object[] }>(inOurs('/changes?limit=1'));
  assert.partialDeepStrictEqual(log.data[0], {
    action: 'member.change',
    actor: { kind: 'user', name: dashboard.as('owner').email },
    target_name: user.email,
    before: { role: 'viewer' },
    after: { role: 'developer', project_roles: [`${dashboard.projectId}: none`] },
  });
  const back = [{ project_id: dashboard.projectId, role: null }];
  const again = await dashboard.as('owner').patch(pathOf(user), { project_roles: back });
  assert.partialDeepStrictEqual(again.body, { role: 'developer', project_roles: [] });
});

test('a role cannot be granted in a project of another organization', async () => {
  const user = await dashboard.newUser('viewer');
  const project_roles = [{ project_id: dashboard.foreignProjectId, role: 'viewer' }];
  const { status } = await dashboard.as('owner').patch(pathOf(user), { project_roles });
  assert.equal(status, 422);
});

test('an admin cannot promote, change, remove or invite an owner', async () => {
  const [admin, owner, user] = [
    dashboard.as('admin'),
    dashboard.as('owner'),
    await dashboard.newUser('viewer'),
  ];
  const email = 'new-owner@acme.example';
  for (const { body } of [
    await admin.patch(pathOf(user), { role: 'owner' }),
    await admin.patch(pathOf(owner), { role: 'viewer' }),
    await admin.delete(pathOf(owner)),
    await admin.post(inOurs('/invitations'), { email, role: 'owner' }),
  ])
    assert.equal(typeOf(body), 'missing-role');
});

test('if two owners remove each other at once, one owner stays', async () => {
  const { uuid } = dashboard.otherOrganization;
  const { database } = dashboard.db;
  const one = dashboard.as('other');
  const path = `/organizations/${dashboard.otherOrganization.id}/invitations`;
  const { body } = await one.post<Invited>(path, { email: 'two@acme.example', role: 'owner' });
  const account = { token: tokenOf(body), name: 'Two', password: PASSWORD };
  await dashboard.signedOut.post('/links/invitation', account);
  const owners = await database
    .selectFrom('memberships')
    .select('userId')
    .where('organizationId', '=', uuid)
    .execute();
  assert.equal(owners.length, 2);
  const removing = owners.map(({ userId }) => removeMember(database, uuid, userId, 'owner'));
  const results = await Promise.all(removing.map((each) => each.catch((error: unknown) => error)));
  const refused = results.filter((result) => result !== true);
  assert.equal(refused.length, 1);
  assert.match(String((refused[0] as AppError).errors?.['user']), /the last owner/);
});

test('a removed member is signed out everywhere, and is deleted unless they belong to another organization', async () => {
  const user = await dashboard.newUser('developer');
  assert.equal((await dashboard.as('admin').delete(pathOf(user))).status, 204);
  assert.equal((await dashboard.as('admin').delete(pathOf(user))).status, 404);
  assert.equal((await user.get('/session')).status, 401);
  const left = await dashboard.db.database
    .selectFrom('users')
    .select('id')
    .where('id', '=', user.userId)
    .execute();
  assert.deepEqual(left, []);
});

test('an invitation creates an account only once, and only for the invited address', async () => {
  const invited = await invite('Grace@acme.example');
  assert.match(invited.url, new RegExp(`^${dashboard.baseUrl}/dashboard/invitation#[\\w-]{43}$`));
  const token = tokenOf(invited);
  const { body: link } = await dashboard.signedOut.post('/links', { token });
  assert.partialDeepStrictEqual(link, {
    purpose: 'invitation',
    email: 'Grace@acme.example',
    organization: 'default',
    role: 'developer',
    invited_by: 'admin',
    has_account: false,
  });
  assert.equal((await dashboard.signedOut.post('/links/invitation', { token })).status, 422);
  const account = { token, name: 'Grace', password: PASSWORD };
  const accepted = await dashboard.signedOut.post('/links/invitation', account);
  assert.deepEqual(accepted.body, { next: 'done' });
  assert.match(accepted.headers.get('set-cookie') ?? '', /^posthorn_session=/);
  assert.equal((await dashboard.signedOut.post('/links/invitation', account)).status, 404);
  const members = await dashboard.as('admin').get(inOurs('/users'));
  assert.match(members.text, /"Grace@acme\.example","name":"Grace","role":"developer"/);
});

test('a user with an account can join only while signed in to that account', async () => {
  const user = await dashboard.newUser('viewer', { isOperator: true });
  await dashboard.as('owner').delete(inOurs(`/users/${encodeId('usr', user.userId)}`));
  const token = tokenOf(await invite(user.email, 'viewer'));
  const belongs = async () => (await dashboard.as('admin').get(inOurs('/users'))).text.includes(user.email);
  // Attack: a stranger created the account with the invited address, and the owner of the address opens the link.
  for (const client of [dashboard.signedOut, dashboard.as('other')]) {
    const { headers, body } = await client.post('/links/invitation', { token });
    assert.deepEqual(body, { next: 'sign-in' });
    assert.equal(headers.get('set-cookie'), null);
    assert.equal(await belongs(), false);
  }
  const { body } = await user.post('/links/invitation', { token });
  assert.deepEqual(body, { next: 'done' });
  assert.equal(await belongs(), true);
});

test('a new invitation to the same address replaces the previous invitation, and can be withdrawn', async () => {
  const first = tokenOf(await invite('linus@acme.example'));
  const second = await invite('LINUS@acme.example');
  assert.equal((await dashboard.signedOut.post('/links', { token: first })).status, 404);
  assert.equal((await dashboard.signedOut.post('/links', { token: tokenOf(second) })).status, 200);
  const { body } = await dashboard.as('admin').get<{ data: { email: string }[] }>(inOurs('/invitations'));
  assert.deepEqual(
    body.data.map(({ email }) => email),
    ['LINUS@acme.example'],
  );
  assert.ok(!JSON.stringify(body).includes(tokenOf(second)));
  assert.equal((await dashboard.as('admin').delete(inOurs(`/invitations/${second.id}`))).status, 204);
  assert.equal((await dashboard.signedOut.post('/links', { token: tokenOf(second) })).status, 404);
});

test('projects can be created and renamed, and the audit log shows both page by page', async () => {
  const owner = dashboard.as('owner');
  const { status, body } = await owner.post<{ id: string }>(inOurs('/projects'), { name: 'shop' });
  assert.equal(status, 201);
  assert.equal((await owner.post(inOurs('/projects'), { name: 'shop' })).status, 422);
  assert.equal((await owner.patch(`/projects/${body.id}`, { name: 'store' })).status, 204);
  assert.equal((await owner.patch(`/projects/${body.id}`, { name: 'one' })).status, 422);
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = `?project=${body.id}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = await owner.get<{ data: { action: string }[]; next_cursor: string | null }>(
      inOurs(`/changes${query}`),
    );
    seen.push(...page.body.data.map(({ action }) => action));
    cursor = page.body.next_cursor;
  }
  assert.deepEqual(seen, ['project.rename', 'project.create']);
  assert.equal((await owner.patch(inOurs(''), { name: 'Acme' })).status, 204);
  const { body: session } = await owner.get('/session');
  assert.partialDeepStrictEqual(session, { organizations: [{ name: 'Acme' }] });
});

test('only an operator can choose the plan of a project', async () => {
  const asked = { name: 'without limits', plan: 'paid' };
  const refused = await dashboard.as('owner').post(inOurs('/projects'), asked);
  assert.deepEqual([refused.status, typeOf(refused.body)], [403, 'missing-role']);
  const operator = await dashboard.newUser('admin', { isOperator: true });
  assert.equal((await operator.post(inOurs('/projects'), asked)).status, 201);
});

test('renaming a user is logged in the organization of the user', async () => {
  const user = await dashboard.newUser('viewer');
  assert.equal((await user.patch('/user', { name: ' Ada ' })).status, 204);
  const { body } = await dashboard.as('owner').get<{ data: object[] }>(inOurs('/changes?limit=1'));
  assert.partialDeepStrictEqual(body.data[0], {
    action: 'user.rename',
    target: encodeId('usr', user.userId),
    target_name: user.email,
    before: { name: 'viewer' },
    after: { name: 'Ada' },
  });
});

test('invitations to an address are limited per hour', async () => {
  const invited = { email: 'often@elsewhere.example', role: 'viewer' };
  const statuses: number[] = [];
  for (let n = 0; n < 4; n += 1)
    statuses.push((await dashboard.as('admin').post(inOurs('/invitations'), invited)).status);
  assert.deepEqual(statuses, [201, 201, 201, 429]);
});

test('accepting an invitation while the address is invited again does not deadlock', async () => {
  const { database } = dashboard.db;
  const email = 'circle@elsewhere.example';
  const token = tokenOf(await invite(email));
  const { promise: joining, resolve } = Promise.withResolvers<{ status: number }>();
  await database.transaction().execute(async (tx) => {
    await lockOrganization(tx, dashboard.organization.uuid);
    resolve(dashboard.signedOut.post('/links/invitation', { token, name: 'Bo', password: PASSWORD }));
    const waits = async () =>
      (
        await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          database,
        )
      ).rows.length === 1;
    assert.ok(await eventually(waits, 5_000));
    await tx.deleteFrom('signInLinks').where('email', '=', email).execute();
  });
  assert.equal((await joining).status, 404);
});

test('the list of people omits projects that are hidden from the user', async () => {
  const user = await dashboard.newUser('developer');
  const project_roles = [{ project_id: dashboard.projectId, role: 'none' }];
  assert.equal((await dashboard.as('owner').patch(pathOf(user), { project_roles })).status, 200);
  const seen = await user.get(inOurs('/users'));
  assert.equal(seen.status, 200);
  assert.ok(!seen.text.includes(dashboard.projectId));
  assert.ok((await dashboard.as('admin').get(inOurs('/users'))).text.includes(dashboard.projectId));
});

test('only admins of an organization see how its members sign in', async () => {
  const user = await dashboard.newUser('developer');
  const find = async (by: TestUser) =>
    (await by.get<{ data: { email: string }[] }>(inOurs('/users'))).body.data.find(
      ({ email }) => email === user.email,
    );
  const seen = await find(dashboard.as('admin'));
  assert.partialDeepStrictEqual(seen, { has_second_factor: false });
  assert.match(JSON.stringify(seen), /"last_signed_in_at":"\d{4}-/);
  const hidden = await find(dashboard.as('developer'));
  assert.partialDeepStrictEqual(hidden, { has_second_factor: null, last_signed_in_at: null });
});

test('an admin can end one or all sessions of a member, but no sessions of an owner', async () => {
  const user = await dashboard.newUser('developer');
  const again = await dashboard.signIn(user.userId, user.email);
  const admin = dashboard.as('admin');
  const sessions = `${pathOf(user)}/sessions`;
  assert.equal((await admin.get<{ data: object[] }>(sessions)).body.data.length, 2);
  assert.equal((await admin.delete(`${sessions}/${encodeId('ses', user.sessionId)}`)).status, 204);
  assert.equal((await user.get('/session')).status, 401);
  assert.equal((await admin.delete(`${sessions}/${encodeId('ses', user.sessionId)}`)).status, 404);
  assert.equal((await again.get('/session')).status, 200);
  assert.equal((await admin.delete(sessions)).status, 204);
  const isOut = async () => (await again.get('/session')).status === 401;
  assert.ok(await eventually(isOut, 4_000));
  const ofOwner = `${pathOf(dashboard.as('owner'))}/sessions`;
  for (const { body } of [await admin.get(ofOwner), await admin.delete(ofOwner)])
    assert.equal(typeOf(body), 'missing-role');
  const { body: log } = await admin.get<{ data: object[] }>(inOurs('/changes?limit=1'));
  assert.partialDeepStrictEqual(log.data[0], {
    action: 'member.end-sessions',
    target_name: user.email,
    after: { sessions: 'all' },
  });
  const stranger = await dashboard.newUser('viewer');
  await dashboard.db.database
    .updateTable('memberships')
    .set({ organizationId: dashboard.otherOrganization.uuid })
    .where('userId', '=', stranger.userId)
    .execute();
  for (const { status } of [
    await admin.get(`${pathOf(stranger)}/sessions`),
    await admin.delete(`${pathOf(stranger)}/sessions`),
    await dashboard.as('owner').delete(`${pathOf(stranger)}/second-factor`),
  ])
    assert.equal(status, 404);
  // Attack: an admin ends sessions that a member has in another organization, and learns their IP addresses.
  const { database } = dashboard.db;
  const elsewhere = await dashboard.newUser('developer');
  await database.transaction().execute(async (tx) => {
    await lockOrganization(tx, dashboard.otherOrganization.uuid);
    await addMember(tx, dashboard.otherOrganization.uuid, elsewhere.userId, {
      role: 'viewer',
      seesBodies: false,
    });
  });
  for (const by of [admin, dashboard.as('owner')]) {
    const ofElsewhere = `${pathOf(elsewhere)}/sessions`;
    for (const { body } of [await by.get(ofElsewhere), await by.delete(ofElsewhere)])
      assert.equal(typeOf(body), 'missing-role');
  }
});

test('an owner can turn off the second factor of a member, and the member is notified by email', async () => {
  const user = await dashboard.newUser('developer');
  const { database } = dashboard.db;
  const addFactor = () =>
    database
      .insertInto('userTotp')
      .values({ userId: user.userId, secret: 'sealed', lastStep: 1, createdAt: new Date() })
      .execute();
  await addFactor();
  const path = `${pathOf(user)}/second-factor`;
  assert.equal((await dashboard.as('admin').delete(path)).status, 403);
  assert.equal((await dashboard.as('owner').delete(path)).status, 204);
  const factors = database.selectFrom('userTotp').selectAll().where('userId', '=', user.userId);
  assert.deepEqual(await factors.execute(), []);
  const told = async () =>
    (
      await sql`
        select from submissions s join submission_recipients r on r.project_id = s.project_id and r.submission_id = s.id
        where s.kind = 'service' and r.address = ${user.email}`.execute(database)
    ).rows.length === 1;
  assert.ok(await eventually(told, 5_000));
  // Attack: an owner removes the second factor of a member of another organization.
  await addFactor();
  await database.transaction().execute(async (tx) => {
    await lockOrganization(tx, dashboard.otherOrganization.uuid);
    await addMember(tx, dashboard.otherOrganization.uuid, user.userId, { role: 'viewer', seesBodies: false });
  });
  assert.equal(typeOf((await dashboard.as('owner').delete(path)).body), 'missing-role');
  assert.equal((await factors.execute()).length, 1);
});

test('the audit log can be filtered by actor, kind of actor, action and time, and can be exported', async () => {
  const { database } = dashboard.db;
  const owner = dashboard.as('owner');
  await actingAs({ kind: 'command-line', id: null, name: 'root', address: null }, () =>
    recordChange(database, {
      of: { projectId: dashboard.project.id },
      action: 'webhook.create',
      target: 'wh_1',
      targetName: '=1+1',
      after: { url: 'https://a.test' },
    }),
  );
  const find = async (query: string) =>
    (await owner.get<{ data: { action: string }[] }>(inOurs(`/changes?${query}`))).body.data;
  for (const query of ['who=ROO', 'by=command-line', 'what=webhook', 'what=webhook.create'])
    assert.partialDeepStrictEqual(await find(query), [{ action: 'webhook.create' }], query);
  assert.deepEqual(await find('what=webhook.delete'), []);
  assert.deepEqual(await find('what=webhook&since=2999-01-01T00:00:00.000Z'), []);
  assert.equal((await find('what=webhook&since=2020-01-01T00:00:00.000Z')).length, 1);
  const { text } = await owner.get(inOurs('/changes/export?format=csv&by=command-line'));
  assert.match(
    text,
    /^"created_at","action","actor_kind","actor",[^\r]*\r\n[^\r]*,"webhook\.create","command-line","root",/,
  );
  assert.ok(text.includes(`,"'=1+1",`));
  const { text: lines } = await owner.get(inOurs('/changes/export?format=ndjson'));
  assert.ok(lines.trimEnd().split('\n').length > 20);
  assert.equal((await dashboard.as('developer').get(inOurs('/changes/export?format=csv'))).status, 403);
});
