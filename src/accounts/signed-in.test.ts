import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { newUuid } from '../model/ids.ts';
import { addMember } from './members/memberships.ts';
import { beginSession, endSession } from './sessions.ts';
import { SESSION_TTL_MS } from './session-look-ups.ts';
import { SignedIn } from './signed-in.ts';
import { createUser } from './users.ts';

let db: TestDatabase;
let projectId: string;
let organizationId: string;
before(async () => {
  db = await testDatabase();
  projectId = await newProject(db.database, 'shop');
  ({ organizationId } = await db.database
    .selectFrom('projects')
    .select('organizationId')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow());
});
after(() => db[Symbol.asyncDispose]());

async function newSession() {
  const user = { email: `${newUuid()}@acme.example`, name: 'x', passwordHash: null, isOperator: false };
  const userId = await db.database.transaction().execute(async (tx) => {
    const id = await createUser(tx, user);
    await addMember(tx, organizationId, id, { role: 'developer', seesBodies: false });
    return id;
  });
  const session = await beginSession(db.database, userId, { address: '192.0.2.1', userAgent: '' });
  return { userId, ...session };
}

test("a session is found with the user's role in a project, in an organization, and without a scope", async () => {
  const signedIn = new SignedIn(db.database);
  const { token, userId } = await newSession();
  const standing = { organizationId, role: 'developer', seesBodies: true, missing: null };
  for (const [scope, expected] of [
    [{ projectId }, standing],
    [{ organizationId }, standing],
    [{ projectId: newUuid() }, null],
    [{}, null],
  ] as const) {
    const found = await signedIn.find(token, scope);
    assert.equal(found?.user.userId, userId);
    assert.deepEqual(found?.rights, expected);
  }
});

test('a session is cached for two seconds, and the end of a session takes effect after this time', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const signedIn = new SignedIn(db.database);
  const { token, userId, sessionId } = await newSession();
  await signedIn.find(token, {});
  await endSession(db.database, userId, sessionId);
  assert.ok(!(signedIn.find(token, {}) instanceof Promise));
  nowMs = SESSION_TTL_MS;
  assert.equal(await signedIn.find(token, {}), null);
});

test('a crowd of wrong tokens is rejected in batches, and a recently valid session does not wait for the wrong tokens', async () => {
  const signedIn = new SignedIn(db.database);
  const { token } = await newSession();
  await signedIn.find(token, {});
  const crowd = Array.from({ length: 500 }, () => randomBytes(32).toString('base64url'));
  const wrong = Promise.all(crowd.map(async (each) => signedIn.find(each, {})));
  assert.ok(!(signedIn.find(token, {}) instanceof Promise));
  assert.notEqual(await signedIn.find(token, { projectId }), null);
  assert.deepEqual(new Set(await wrong), new Set([null]));
  for (const text of ['', 'short', 'x'.repeat(10_000)]) assert.equal(signedIn.find(text, {}), null);
});
