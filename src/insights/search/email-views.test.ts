import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newProject } from '../../../test/support/projects.ts';
import { quickHash } from '../../../test/support/quick-hash.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { createUser } from '../../accounts/users.ts';
import { decodeId } from '../../model/ids.ts';
import type { Role } from '../../model/roles.ts';
import { deleteEmailView, listEmailViews, saveEmailView } from './email-views.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

let made = 0;
async function newUser(role: Role): Promise<{ userId: string; role: Role }> {
  const email = `ada${++made}@src.test`;
  const passwordHash = quickHash('secret');
  const userId = await db.database
    .transaction()
    .execute((tx) => createUser(tx, { email, name: 'Ada', passwordHash, isOperator: false }));
  return { userId, role };
}

const VIEW = { name: 'Bounces', q: 'status:bounced since:7d', is_shared: false };
const namesOf = async (projectId: string, user: { userId: string; role: Role }) =>
  (await listEmailViews(db.database, projectId, user)).data.map(({ name }) => name);
const uuidOf = ({ id }: { id: string }) => decodeId('vw', id) ?? '';

test('a saved search is seen by its user alone, and a shared one by everyone in its project', async () => {
  const [projectId, other] = [await newProject(db.database), await newProject(db.database)];
  const [ada, bo] = [await newUser('developer'), await newUser('viewer')];
  const own = await saveEmailView(db.database, projectId, ada, VIEW);
  const shared = await saveEmailView(db.database, projectId, ada, {
    ...VIEW,
    name: ' All bounces ',
    is_shared: true,
  });
  await saveEmailView(db.database, projectId, bo, { ...VIEW, name: 'Mine' });
  assert.deepEqual(await namesOf(projectId, ada), ['All bounces', 'Bounces']);
  assert.deepEqual(await namesOf(projectId, bo), ['All bounces', 'Mine']);
  assert.deepEqual(await namesOf(other, ada), []);
  assert.equal(await deleteEmailView(db.database, projectId, bo, uuidOf(own)), null);
  assert.equal(await deleteEmailView(db.database, other, ada, uuidOf(own)), null);
  await assert.rejects(deleteEmailView(db.database, projectId, bo, uuidOf(shared)), { code: 'missing-role' });
  await assert.rejects(saveEmailView(db.database, projectId, bo, { ...VIEW, is_shared: true }), {
    code: 'missing-role',
  });
  assert.equal(await deleteEmailView(db.database, projectId, ada, uuidOf(own)), true);
  assert.equal(await deleteEmailView(db.database, projectId, ada, uuidOf(shared)), true);
  assert.deepEqual(await namesOf(projectId, ada), []);
  await db.database.deleteFrom('users').where('id', '=', bo.userId).execute();
  const left = await db.database
    .selectFrom('emailViews')
    .select('id')
    .where('projectId', '=', projectId)
    .execute();
  assert.deepEqual(left, []);
});

test('saving under the same name replaces the search, and an invalid search is rejected', async () => {
  const projectId = await newProject(db.database);
  const ada = await newUser('owner');
  for (const is_shared of [false, true]) {
    const first = await saveEmailView(db.database, projectId, ada, { ...VIEW, is_shared });
    const second = await saveEmailView(db.database, projectId, ada, { ...VIEW, q: 'tag:x', is_shared });
    assert.deepEqual(second, { ...first, q: 'tag:x' });
  }
  // The parser accepts a term of punctuation, but the search does not.
  for (const q of ['status:lost', 'to:!!'])
    await assert.rejects(
      saveEmailView(db.database, projectId, ada, { ...VIEW, q }),
      { code: 'validation-failed' },
      q,
    );
});

test('a user saves at most 20 searches in a project', async () => {
  const projectId = await newProject(db.database);
  const ada = await newUser('developer');
  for (let n = 0; n < 20; n++)
    await saveEmailView(db.database, projectId, ada, { ...VIEW, name: `View ${n}` });
  await assert.rejects(saveEmailView(db.database, projectId, ada, VIEW), { code: 'bad-request' });
  await saveEmailView(db.database, projectId, ada, { ...VIEW, name: 'View 3', q: 'tag:x' });
  await saveEmailView(db.database, projectId, ada, { ...VIEW, is_shared: true });
  assert.equal((await namesOf(projectId, ada)).length, 21);
});
