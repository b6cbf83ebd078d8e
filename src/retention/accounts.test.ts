import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { deleteOrganization } from './delete-project.ts';
import { recordChange } from '../accounts/audit.ts';
import { deletingExpiredAccountRows } from '../accounts/background-jobs.ts';
import { createOrganization } from '../accounts/organizations/organizations.ts';
import { addMember } from '../accounts/members/memberships.ts';
import { beginSession } from '../accounts/sessions.ts';
import { makeResetLink } from '../accounts/sign-in-links.ts';
import { createUser } from '../accounts/users.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const CLIENT = { address: '192.0.2.1', userAgent: 'test' };

async function newUser(email: string, isOperator = false): Promise<string> {
  return db.database
    .transaction()
    .execute((tx) => createUser(tx, { email, name: 'x', passwordHash: null, isOperator }));
}

test('ended sessions and expired links are deleted, and audit log entries are deleted after 400 days', async () => {
  const { database } = db;
  const userId = await newUser('ada@acme.example');
  const projectId = await newProject(database, 'shop');
  const [idle, old, living] = [
    await beginSession(database, userId, CLIENT),
    await beginSession(database, userId, CLIENT),
    await beginSession(database, userId, CLIENT),
  ];
  const age = (column: 'used_at' | 'created_at', days: number, { sessionId }: typeof idle) =>
    sql`update sessions set ${sql.ref(column)} = now() - ${days} * interval '1 day' where id = ${sessionId}`.execute(
      database,
    );
  await age('used_at', 15, idle);
  await age('created_at', 91, old);
  await age('used_at', 13, living);
  await makeResetLink(database, userId);
  await sql`update sign_in_links set expires_at = now() - interval '1 second'`.execute(database);
  for (const action of ['key.old', 'key.young'] as const)
    await recordChange(database, { of: { projectId }, action, target: 'x' });
  await sql`update audit_log set created_at = now() - interval '401 days' where action = 'key.old'`.execute(
    database,
  );
  for await (const _ of deletingExpiredAccountRows(database, null));
  const sessions = await database.selectFrom('sessions').select('id').execute();
  assert.deepEqual(sessions, [{ id: living.sessionId }]);
  assert.deepEqual(await database.selectFrom('signInLinks').select('id').execute(), []);
  const log = await database
    .selectFrom('auditLog')
    .select('action')
    .where('action', 'like', 'key.%')
    .execute();
  assert.deepEqual(log, [{ action: 'key.young' }]);
});

test('an organization is deleted with its log and with members who are neither operators nor in another organization', async () => {
  const { database } = db;
  const organizationId = await createOrganization(database, 'here');
  const otherId = await createOrganization(database, 'elsewhere');
  const [only, both, operator] = [
    await newUser('only@acme.example'),
    await newUser('both@acme.example'),
    await newUser('operator@acme.example', true),
  ];
  const member = { role: 'viewer', seesBodies: false } as const;
  await database.transaction().execute(async (tx) => {
    for (const user of [only, both, operator]) await addMember(tx, organizationId, user, member);
    await addMember(tx, otherId, both, member);
  });
  await deleteOrganization(database, organizationId, 'here');
  const users = await database
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [only, both, operator])
    .orderBy('id')
    .execute();
  assert.deepEqual(
    users.map(({ id }) => id),
    [both, operator],
  );
  const log = await database
    .selectFrom('auditLog')
    .select('id')
    .where('organizationId', '=', organizationId)
    .execute();
  assert.deepEqual(log, []);
});
