/** Tests that a key never has more rights than its creator: every scope with every role, and keys whose creator lost rights. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { ApiKey, ApiKeyList, CreatedApiKey, MemberKeyList } from '../../contract/dashboard/api-keys.ts';
import { createApiKey } from '../../accounts/keys/api-keys.ts';
import { encodeId } from '../../model/ids.ts';
import { ROLES, type Role } from '../../model/roles.ts';
import { SCOPES } from '../../model/scopes.ts';
import { apiClient } from '../../../test/support/api-client.ts';
import { type TestDashboard, type TestUser, startDashboard } from './dashboard/dashboard.fixture.ts';
import { leastRolesOf } from './grantable.ts';
import { OPERATION_MODULES } from './operation-modules.ts';
import { WEBHOOK_OPERATIONS } from '../../webhooks/operations.ts';

/** The scopes that only an admin or owner can grant, according to docs/roles.md. In the order of `SCOPES`. */
const OF_ADMINS = ['domains:write', 'mailboxes:write', 'routes:read', 'routes:write'];

test('every API operation maps to a dashboard operation with a role', () => {
  assert.doesNotThrow(() => leastRolesOf(OPERATION_MODULES));
  for (const twin of ['', 'noSuchOperation', 'signIn', 'getSystemQueue']) {
    const api = { route: 'GET /emails', scope: 'emails:read', twin } as const;
    assert.throws(
      () => leastRolesOf([...OPERATION_MODULES, { operations: { other: { doors: { api } } } }]),
      TypeError,
    );
  }
});

test('the lowest role of a scope follows from its operations', () => {
  const { doors } = WEBHOOK_OPERATIONS.deleteWebhook;
  const raised = { doors: { ...doors, dashboard: { ...doors.dashboard, role: 'owner' as const } } };
  const { scopes, fullAccess } = leastRolesOf([
    ...OPERATION_MODULES,
    { operations: { deleteWebhook: raised } },
  ]);
  assert.deepEqual(
    [scopes.get('webhooks:write'), scopes.get('webhooks:read'), fullAccess],
    ['owner', 'developer', 'owner'],
  );
});

suite('creating keys', () => {
  let dashboard: TestDashboard;
  let path: string;
  before(async () => {
    dashboard = await startDashboard();
    path = `/projects/${dashboard.projectId}/api-keys`;
  });
  after(() => dashboard[Symbol.asyncDispose]());

  const make = (user: TestUser, scopes: readonly string[] | null) =>
    user.post<CreatedApiKey & { type?: string; detail?: string; required_role?: string }>(path, {
      name: 'of a test',
      ...(scopes !== null && { scopes }),
    });

  test('a role can grant only scopes that it could use itself, and only admins and owners can grant full access', async () => {
    for (const scopes of [...SCOPES.map((scope) => [scope]), null]) {
      const least: Role = scopes === null || OF_ADMINS.includes(scopes[0] ?? '') ? 'admin' : 'developer';
      for (const role of ROLES) {
        const { status, body } = await make(dashboard.as(role), scopes);
        const may: boolean = ROLES.indexOf(role) <= ROLES.indexOf(least);
        assert.equal(status, may ? 201 : 403, `${role}: ${String(scopes)}`);
        if (may) continue;
        assert.equal(body.type, '/errors/missing-role');
        // A viewer cannot create keys at all.
        assert.equal(body.required_role, role === 'viewer' ? 'developer' : least);
        if (role !== 'viewer') assert.ok(body.detail?.includes(scopes?.[0] ?? 'full access'), body.detail);
      }
    }
  });

  test('a key with one scope that the user cannot grant is rejected as a whole', async () => {
    const count = async () => (await dashboard.as('viewer').get<ApiKeyList>(path)).body.data.length;
    const before = await count();
    const { status, body } = await make(dashboard.as('developer'), ['emails:send', 'mailboxes:write']);
    assert.equal(status, 403);
    assert.ok(body.detail?.includes('mailboxes:write') && !body.detail.includes('emails:send'), body.detail);
    assert.equal(await count(), before);
  });

  test('the role in the project overrides the role in the organization', async () => {
    const admin = await dashboard.newUser('admin');
    await dashboard.db.database
      .insertInto('projectRoles')
      .values({
        organizationId: dashboard.organization.uuid,
        userId: admin.userId,
        projectId: dashboard.project.id,
        role: 'developer',
      })
      .execute();
    assert.equal((await make(admin, null)).status, 403);
    assert.equal((await make(admin, ['emails:send'])).status, 201);
  });

  test('the list of keys shows the lowest role that can grant each scope', async () => {
    const { body } = await dashboard.as('viewer').get<ApiKeyList>(path);
    assert.deepEqual(
      body.scopes.map(({ scope, granted_by }) => [scope, granted_by]),
      SCOPES.map((scope) => [scope, OF_ADMINS.includes(scope) ? 'admin' : 'developer']),
    );
    assert.deepEqual(
      [body.full_access_granted_by, leastRolesOf(OPERATION_MODULES).fullAccess],
      ['admin', 'admin'],
    );
  });

  const shown = async (id: string): Promise<ApiKey | undefined> =>
    (await dashboard.as('viewer').get<ApiKeyList>(path)).body.data.find((key) => key.id === id);

  test('after its creator gets a lower role, a key keeps its scopes and is marked as exceeding the creator', async () => {
    const maker = await dashboard.newUser('admin');
    const { body: full } = await make(maker, null);
    const { body: sends } = await make(maker, ['emails:send']);
    assert.partialDeepStrictEqual(await shown(full.id), { exceeds_maker: false, maker_role: 'admin' });
    const change = await dashboard
      .as('owner')
      .patch(`/organizations/${dashboard.organization.id}/users/${idOf(maker)}`, { role: 'developer' });
    assert.equal(change.status, 200);
    assert.partialDeepStrictEqual(await shown(full.id), { exceeds_maker: true, maker_role: 'developer' });
    assert.partialDeepStrictEqual(await shown(sends.id), { exceeds_maker: false });
    assert.equal((await apiClient(dashboard.baseUrl, full.token).get('/v1/mailboxes')).status, 200);
  });

  const idOf = ({ userId }: TestUser) => encodeId('usr', userId);
  const removal = (user: TestUser) => `/organizations/${dashboard.organization.id}/users/${idOf(user)}`;

  test('the keys of a removed member keep working and are marked, unless the removal revokes the keys', async () => {
    for (const keys of ['keep', 'revoke'] as const) {
      const maker = await dashboard.newUser('developer');
      const { body } = await make(maker, ['emails:read']);
      const { body: other } = await make(dashboard.as('developer'), ['emails:read']);
      const list = await dashboard.as('admin').get<MemberKeyList>(`${removal(maker)}/api-keys`);
      assert.deepEqual(
        list.body.data.map(({ id, project_id: projectId }) => [id, projectId]),
        [[body.id, dashboard.projectId]],
      );
      assert.equal((await dashboard.as('admin').delete(`${removal(maker)}?keys=${keys}`)).status, 204);
      const status = (token: string) =>
        apiClient(dashboard.baseUrl, token)
          .get('/v1/emails')
          .then((answer) => answer.status);
      assert.equal(await status(body.token), keys === 'keep' ? 200 : 401);
      assert.equal(await status(other.token), 200);
      if (keys === 'keep')
        assert.partialDeepStrictEqual(await shown(body.id), { exceeds_maker: true, maker_role: null });
      else assert.equal(await shown(body.id), undefined);
    }
  });

  test('the keys of a removed member in another organization are neither listed nor revoked', async () => {
    const maker = await dashboard.newUser('developer');
    const foreign = await dashboard.db.database
      .selectFrom('projects')
      .select('id')
      .where('organizationId', '=', dashboard.otherOrganization.uuid)
      .executeTakeFirstOrThrow();
    const { token } = await createApiKey(dashboard.db.database, foreign.id, 'elsewhere', ['emails:read'], {
      createdBy: maker.userId,
    });
    const { body } = await dashboard.as('admin').get<MemberKeyList>(`${removal(maker)}/api-keys`);
    assert.deepEqual(body.data, []);
    assert.equal((await dashboard.as('admin').delete(`${removal(maker)}?keys=revoke`)).status, 204);
    assert.equal((await apiClient(dashboard.baseUrl, token).get('/v1/emails')).status, 200);
  });
});
