import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { AppError } from '../model/app-error.ts';
import { decodeId } from '../model/ids.ts';
import { ApiKeys, createApiKey, KEY_TTL_MS, revokeApiKey } from './api-keys.ts';
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

/** Waits until as many statements wait for a lock: the look-ups that are on their way. */
async function untilLocked(count: number): Promise<void> {
  const isSo = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db.database);
    return rows[0]?.waiting === count;
  };
  assert.ok(await eventually(isSo, 2_000), `it is not ${count}`);
}

test('a crowd of wrong keys takes one connection, and a key that was right a moment ago does not wait for it', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'right', null);
  const fresh = await createApiKey(db.database, projectId, 'fresh', null);
  assert.notEqual(await keys.authenticate(token), null);
  nowMs = KEY_TTL_MS;
  const crowd = Array.from({ length: 1_000 }, () => `svc_live_${randomBytes(24).toString('base64url')}`);
  let wrong: Promise<unknown[]> | undefined;
  let right: Promise<unknown> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    wrong = Promise.all([...crowd, fresh.token].map(async (each) => keys.authenticate(each)));
    await untilLocked(1);
    right = Promise.resolve(keys.authenticate(token));
    await untilLocked(2);
  });
  assert.partialDeepStrictEqual(await right, { projectId });
  const found = (await wrong) ?? [];
  assert.deepEqual(new Set(found.slice(0, -1)), new Set([null]));
  assert.partialDeepStrictEqual(found.at(-1), { projectId });
});

test('more wrong keys than can be looked up soon are refused, and a key that was right is not', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'known', null);
  await keys.authenticate(token);
  nowMs = KEY_TTL_MS;
  const crowd = Array.from({ length: 2_100 }, (_, at) => `svc_live_${String(at).padStart(32, '0')}`);
  let wrong: Promise<PromiseSettledResult<unknown>[]> | undefined;
  let right: Promise<unknown> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    wrong = Promise.allSettled(crowd.map(async (each) => keys.authenticate(each)));
    right = Promise.resolve(keys.authenticate(token));
    await untilLocked(2);
  });
  const refused = ((await wrong) ?? []).filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 100);
  for (const { reason } of refused as PromiseRejectedResult[]) assert.equal(reason.code, 'unavailable');
  assert.partialDeepStrictEqual(await right, { projectId });
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
