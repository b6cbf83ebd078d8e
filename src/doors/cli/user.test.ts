import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { verifyPassword } from '../../accounts/passwords/verify-password.ts';
import { createOrganization, ensureOrganization } from '../../accounts/organizations/organizations.ts';
import { readOperatorSignIn } from '../../accounts/required-sign-in.ts';
import { beginSession } from '../../accounts/sessions.ts';
import { findLink } from '../../accounts/sign-in-links.ts';
import { findUserByEmail } from '../../accounts/users.ts';
import { encodeId } from '../../model/ids.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  await db.database.transaction().execute(ensureOrganization);
  await createOrganization(db.database, 'acme');
});
after(() => db[Symbol.asyncDispose]());

const user = (...args: string[]) =>
  posthorn(
    { ...environmentOf(db), POSTHORN_BASE_URL: 'https://mail.example.com' },
    'user',
    ...args,
    '--json',
  );
const PASSWORD = ['--password', 'correct horse battery'];

test('user create creates a user with a password and a role, adds the user to another organization, and user list shows both', async () => {
  const created = await user(
    'create',
    '--email',
    'Ada@acme.example',
    ...PASSWORD,
    '--role',
    'owner',
    '--operator',
  );
  assert.equal(created.code, 0, created.stderr);
  assert.partialDeepStrictEqual(JSON.parse(created.stdout), {
    email: 'Ada@acme.example',
    role: 'owner',
    operator: true,
  });
  const { passwordHash } = await db.database.selectFrom('users').selectAll().executeTakeFirstOrThrow();
  assert.ok(verifyPassword('correct horse battery', passwordHash));
  assert.equal(
    (await user('create', '--email', 'ada@acme.example', '--role', 'viewer', '--org', 'acme')).code,
    0,
  );
  const { data } = JSON.parse((await user('list')).stdout) as { data: object[] };
  assert.partialDeepStrictEqual(data, [
    {
      email: 'Ada@acme.example',
      is_operator: true,
      memberships: [
        { organization: 'default', role: 'owner' },
        { organization: 'acme', role: 'viewer' },
      ],
    },
  ]);
  const again = await user('create', '--email', 'ADA@acme.example', ...PASSWORD, '--role', 'viewer');
  assert.match(again.stderr, /^A user with this email address already exists: Ada@acme\.example/);
  assert.match(again.stderr, /to add the user to the organization of --org, omit --password/);
  const member = await user('create', '--email', 'ada@acme.example', '--role', 'viewer');
  assert.match(
    member.stderr,
    /is already a member of the organization\. Change their role with `user set --role`/,
  );
});

test('user create generates a password if none is given, and rejects a weak password', async () => {
  const { stdout } = await user('create', '--email', 'bob@acme.example', '--role', 'admin');
  assert.match((JSON.parse(stdout) as { password: string }).password, /^[0-9a-z]{4}(-[0-9a-z]{4}){6}$/);
  const weak = await user('create', '--email', 'eve@acme.example', '--password', 'short', '--role', 'admin');
  assert.notEqual(weak.code, 0);
  assert.match(weak.stderr, /password: must have at least 12 characters/);
  const invalid = await user('create', '--email', 'eve', '--role', 'admin');
  assert.match(invalid.stderr, /email: must be an email address, such as ada@/);
  const nowhere = await user('create', '--email', 'eve@acme.example', '--role', 'admin', '--org', 'acne');
  assert.match(nowhere.stderr, /no organization acne\. The organizations are: default, acme\./);
});

test('a reset link begins with POSTHORN_BASE_URL', async () => {
  await user('create', '--email', 'joe@acme.example', ...PASSWORD, '--role', 'viewer');
  const { stdout } = await user('reset', '--email', 'joe@acme.example');
  const { url } = JSON.parse(stdout) as { url: string };
  const [, token = ''] = /^https:\/\/mail\.example\.com\/dashboard\/reset#([\w-]{43})$/.exec(url) ?? [];
  assert.partialDeepStrictEqual(await findLink(db.database, token), {
    purpose: 'reset',
    email: 'joe@acme.example',
  });
});

test('user delete does not delete the last owner of an organization', async () => {
  await user('create', '--email', 'one@acme.example', ...PASSWORD, '--role', 'owner', '--org', 'acme');
  const last = await user('delete', '--email', 'one@acme.example');
  assert.notEqual(last.code, 0);
  assert.match(last.stderr, /is the last owner/);
  await user('create', '--email', 'two@acme.example', ...PASSWORD, '--role', 'owner', '--org', 'acme');
  const { code, stderr } = await user('delete', '--email', 'one@acme.example');
  assert.equal(code, 0, stderr);
});

test('user set --operator adds and removes an operator, logs both changes, and does not remove the only operator', async () => {
  const set = (email: string, state: string) => user('set', '--email', email, '--operator', state);
  const last = await set('ada@acme.example', 'off');
  assert.notEqual(last.code, 0);
  assert.match(last.stderr, /the only operator/);
  const granted = await set('bob@acme.example', 'on');
  assert.partialDeepStrictEqual(JSON.parse(granted.stdout), { email: 'bob@acme.example', is_operator: true });
  assert.equal((await set('bob@acme.example', 'on')).code, 0);
  assert.equal((await set('ada@acme.example', 'off')).code, 0);
  const { data } = JSON.parse((await user('list')).stdout) as {
    data: { email: string; is_operator: boolean }[];
  };
  assert.deepEqual(
    data.filter(({ is_operator }) => is_operator).map(({ email }) => email),
    ['bob@acme.example'],
  );
  const changes = await db.database
    .selectFrom('auditLog')
    .select(['targetName', 'before', 'after'])
    .where('action', '=', 'user.set-operator')
    .orderBy('id')
    .execute();
  assert.deepEqual(changes[0], {
    targetName: 'bob@acme.example',
    before: { is_operator: false },
    after: { is_operator: true },
  });
  // Ada is a member of two organizations, so her change has two entries.
  assert.equal(changes.length, 3);
});

async function newMember(email: string, role: string): Promise<void> {
  const { code, stderr } = await user('create', '--email', email, ...PASSWORD, '--role', role);
  assert.equal(code, 0, stderr);
}

const actionsOf = async (name: string) =>
  (
    await db.database
      .selectFrom('auditLog')
      .select('action')
      .where('targetName', '=', name)
      .orderBy('id')
      .execute()
  ).map(({ action }) => action);

test('user invite prints a link, user invitations list omits the link, and user invitations withdraw revokes it', async () => {
  const invite = () => user('invite', '--email', 'zoe@acme.example', '--role', 'developer');
  const { stdout } = await invite();
  const { id, url } = JSON.parse(stdout) as { id: string; url: string };
  const [, token = ''] = /^https:\/\/mail\.example\.com\/dashboard\/invitation#([\w-]{43})$/.exec(url) ?? [];
  assert.partialDeepStrictEqual(await findLink(db.database, token), {
    purpose: 'invitation',
    email: 'zoe@acme.example',
    role: 'developer',
  });
  const listed = await user('invitations', 'list');
  assert.ok(!listed.stdout.includes(token));
  assert.partialDeepStrictEqual(JSON.parse(listed.stdout), { data: [{ id, email: 'zoe@acme.example' }] });
  assert.equal((await user('invitations', 'withdraw', '--id', id)).code, 0);
  assert.equal(await findLink(db.database, token), null);
  assert.match((await user('invitations', 'withdraw', '--id', id)).stderr, /no such invitation/);
  assert.deepEqual(await actionsOf('zoe@acme.example'), ['invitation.create', 'invitation.delete']);
});

test('user set changes roles in an organization and in a project, logs the changes, and does not demote the last owner', async () => {
  await newMember('kim@acme.example', 'viewer');
  const set = (...args: string[]) => user('set', '--email', 'kim@acme.example', ...args);
  const project = await newProject(db.database, 'shop');
  const changed = await set('--role', 'admin', '--project', 'shop', '--project-role', 'viewer');
  assert.partialDeepStrictEqual(JSON.parse(changed.stdout), {
    role: 'admin',
    project_roles: [`${encodeId('prj', project)}: viewer`],
  });
  const back = await set('--project', 'shop', '--project-role', 'same');
  assert.partialDeepStrictEqual(JSON.parse(back.stdout), { role: 'admin', project_roles: [] });
  assert.match((await set()).stderr, /Choose what to change/);
  assert.match(
    (await set('--role', 'viewer', '--org', 'acme')).stderr,
    /is not a member of this organization/,
  );
  assert.deepEqual(await actionsOf('kim@acme.example'), ['member.add', 'member.change', 'member.change']);
  const last = await user('set', '--email', 'two@acme.example', '--role', 'viewer', '--org', 'acme');
  assert.match(last.stderr, /is the last owner/);
});

test('user sessions list shows the sessions of a user, and user sessions end ends one session or all sessions', async () => {
  await newMember('max@acme.example', 'viewer');
  const { id } = await findUserByEmail(db.database, 'max@acme.example');
  const begin = () => beginSession(db.database, id, { address: '192.0.2.7', userAgent: 'Firefox' });
  const first = encodeId('ses', (await begin()).sessionId);
  await begin();
  await begin();
  const sessions = (...args: string[]) => user('sessions', ...args, '--email', 'max@acme.example');
  const list = async () => (JSON.parse((await sessions('list')).stdout) as { data: { id: string }[] }).data;
  assert.equal((await list()).length, 3);
  assert.equal((await sessions('end', '--id', first)).code, 0);
  assert.match((await sessions('end', '--id', first)).stderr, /no such session/);
  assert.partialDeepStrictEqual(JSON.parse((await sessions('end')).stdout), { ended: 2 });
  assert.deepEqual(await list(), []);
  assert.deepEqual(await actionsOf('max@acme.example'), [
    'member.add',
    'member.end-sessions',
    'member.end-sessions',
  ]);
});

test('require-sign-in requires a second factor of members and operators, and OpenID only if a provider is configured', async () => {
  const setRequirement = (...args: string[]) => user('require-sign-in', ...args);
  const { organizationId } = await db.database
    .selectFrom('organizations')
    .select('id as organizationId')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const required = async () =>
    (
      await db.database
        .selectFrom('organizations')
        .select('requiredSignIn')
        .where('id', '=', organizationId)
        .executeTakeFirstOrThrow()
    ).requiredSignIn;
  assert.equal((await setRequirement('--required', 'second-factor')).code, 0);
  assert.equal(await required(), 'second-factor');
  assert.equal((await setRequirement('--required', 'second-factor', '--operators')).code, 0);
  assert.equal(await readOperatorSignIn(db.database), 'second-factor');
  assert.match((await setRequirement('--required', 'openid')).stderr, /No OpenID provider is configured/);
  assert.equal((await setRequirement('--required', 'none')).code, 0);
  assert.equal((await setRequirement('--required', 'none', '--operators')).code, 0);
  assert.deepEqual([await required(), await readOperatorSignIn(db.database)], [null, null]);
});
