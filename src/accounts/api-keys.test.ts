import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { ApiKeys, createApiKey, revokeApiKey } from './api-keys.ts';
import { findProjectByName } from './projects.ts';

let db: TestDatabase;
let projectId: string;
before(async () => {
  db = await testDatabase();
  projectId = await newProject(db.database, 'shop');
});
after(() => db[Symbol.asyncDispose]());

test('a token has the fixed prefix and 192 random bits, and only its hash is stored', async () => {
  const { token } = await createApiKey(db.database, projectId, 'ci', null);
  assert.match(token, /^svc_live_[A-Za-z0-9_-]{32}$/);
  const rows = await db.database.selectFrom('apiKeys').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(token.slice('svc_live_'.length)));
});

test('a key is found with its project and its scopes; without scopes it has full access', async () => {
  const keys = new ApiKeys(db.database);
  const full = await createApiKey(db.database, projectId, 'full', null);
  const limited = await createApiKey(db.database, projectId, 'limited', ['emails:send']);
  assert.partialDeepStrictEqual(await keys.authenticate(full.token), { projectId, scopes: null });
  assert.partialDeepStrictEqual(await keys.authenticate(limited.token), {
    projectId,
    scopes: ['emails:send'],
  });
});

test('what is no token, or the token of no key, is found nowhere', async () => {
  const keys = new ApiKeys(db.database);
  for (const token of [
    '',
    'svc_live_',
    `svc_live_${'a'.repeat(32)}`,
    `svc_test_${'a'.repeat(32)}`,
    'x'.repeat(10_000),
  ]) {
    assert.equal(await keys.authenticate(token), null);
  }
});

test('a known key is found at once', async () => {
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'twice', null);
  await keys.authenticate(token);
  assert.ok(!(keys.authenticate(token) instanceof Promise));
});

test('a revoked key is found nowhere, and cannot be revoked again or by another project', async () => {
  const { id, token } = await createApiKey(db.database, projectId, 'gone', null);
  const keyId = decodeId('key', id) ?? '';
  assert.equal(await revokeApiKey(db.database, await newProject(db.database, 'thief'), keyId), false);
  assert.equal(await revokeApiKey(db.database, projectId, keyId), true);
  assert.equal(await revokeApiKey(db.database, projectId, keyId), false);
  assert.equal(await new ApiKeys(db.database).authenticate(token), null);
});

test('a project is found by its name, which no other can take', async () => {
  assert.equal(await findProjectByName(db.database, 'shop'), projectId);
  await assert.rejects(
    newProject(db.database, 'shop'),
    (error) => error instanceof AppError && error.code === 'already-exists',
  );
  await assert.rejects(
    findProjectByName(db.database, 'nowhere'),
    (error) => error instanceof AppError && error.code === 'not-found',
  );
});
