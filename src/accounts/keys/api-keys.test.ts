import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newProject } from '../../../test/support/projects.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { decodeId } from '../../model/ids.ts';
import { SCOPES } from '../../model/scopes.ts';
import { ApiKeys, createApiKey, KEY_TTL_MS, MAX_KEYS, renameApiKey, revokeApiKey } from './api-keys.ts';
import { readApiKey } from './key-records.ts';
import { findProjectByName } from '../projects/projects.ts';
import { UNRESTRICTED } from '../restrictions/restrictions.ts';

let db: TestDatabase;
let projectId: string;
before(async () => {
  db = await testDatabase();
  projectId = await newProject(db.database, 'shop');
});
after(() => db[Symbol.asyncDispose]());

test('a token has the fixed prefix and 192 random bits, and only its hash and its last four characters are stored', async () => {
  const { token } = await createApiKey(db.database, projectId, 'ci', null);
  assert.match(token, /^svc_live_[A-Za-z0-9_-]{32}$/);
  const [row, ...others] = await db.database.selectFrom('apiKeys').selectAll().execute();
  assert.deepEqual([row?.lastFour, others], [token.slice(-4), []]);
  const changes = await db.database.selectFrom('auditLog').selectAll().execute();
  const stored = JSON.stringify([{ ...row, lastFour: null, tokenSha256: null }, changes]);
  for (let at = 'svc_live_'.length; at + 6 <= token.length; at++)
    assert.ok(!stored.includes(token.slice(at, at + 6)), stored);
});

test('a key with full access from before routes existed has all scopes but those of routes', async () => {
  const { id, token } = await createApiKey(db.database, projectId, 'old', null);
  await db.database
    .updateTable('apiKeys')
    .set({ grantsRoutes: false })
    .where('id', '=', decodeId('key', id))
    .execute();
  const key = await new ApiKeys(db.database).authenticate(token, '::1');
  assert.deepEqual(
    key?.scopes,
    SCOPES.filter((scope) => !scope.startsWith('routes:')),
  );
});

test('a key is found with its project and its scopes, and a key without scopes has full access', async () => {
  const keys = new ApiKeys(db.database);
  const full = await createApiKey(db.database, projectId, 'full', null);
  const limited = await createApiKey(db.database, projectId, 'limited', ['emails:send']);
  assert.partialDeepStrictEqual(await keys.authenticate(full.token, '::1'), { projectId, scopes: null });
  assert.partialDeepStrictEqual(await keys.authenticate(limited.token, '::1'), {
    projectId,
    scopes: ['emails:send'],
  });
});

test('an invalid token, or a token without a key, is not accepted', async () => {
  const keys = new ApiKeys(db.database);
  for (const token of [
    '',
    'svc_live_',
    `svc_live_${'a'.repeat(32)}`,
    `svc_test_${'a'.repeat(32)}`,
    'x'.repeat(10_000),
  ]) {
    assert.equal(await keys.authenticate(token, '::1'), null);
  }
});

test('a key that was looked up recently is returned synchronously', async () => {
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'twice', null);
  await keys.authenticate(token, '::1');
  assert.ok(!(keys.authenticate(token, '::1') instanceof Promise));
});

/** Waits until this many look-ups wait for a lock. The background write of the last use of a key may also wait, but is not counted. */
async function untilLocked(count: number): Promise<void> {
  const hasCount = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'select%token_sha256%'`.execute(
      db.database,
    );
    return rows[0]?.waiting === count;
  };
  assert.ok(await eventually(hasCount, 30_000), `${count} look-ups never waited at once`);
}

test('wrong keys are looked up over one connection, and a recently valid key does not wait for wrong keys', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'right', null);
  const fresh = await createApiKey(db.database, projectId, 'fresh', null);
  assert.notEqual(await keys.authenticate(token, '::1'), null);
  nowMs = KEY_TTL_MS;
  const crowd = Array.from({ length: 1_000 }, () => `svc_live_${randomBytes(24).toString('base64url')}`);
  let wrong: Promise<unknown[]> | undefined;
  let right: Promise<unknown> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    wrong = Promise.all([...crowd, fresh.token].map(async (each) => keys.authenticate(each, '::1')));
    await untilLocked(1);
    right = Promise.resolve(keys.authenticate(token, '::1'));
    await untilLocked(2);
  });
  assert.partialDeepStrictEqual(await right, { projectId });
  const found = (await wrong) ?? [];
  assert.deepEqual(new Set(found.slice(0, -1)), new Set([null]));
  assert.partialDeepStrictEqual(found.at(-1), { projectId });
});

test('wrong keys beyond the limit of waiting look-ups are rejected, and a recently valid key is accepted', async (t) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'known', null);
  await keys.authenticate(token, '::1');
  nowMs = KEY_TTL_MS;
  const crowd = Array.from({ length: 2_100 }, (_, at) => `svc_live_${String(at).padStart(32, '0')}`);
  let wrong: Promise<PromiseSettledResult<unknown>[]> | undefined;
  let right: Promise<unknown> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table api_keys in access exclusive mode`.execute(tx);
    wrong = Promise.allSettled(crowd.map(async (each) => keys.authenticate(each, '::1')));
    right = Promise.resolve(keys.authenticate(token, '::1'));
    await untilLocked(2);
  });
  const rejected = ((await wrong) ?? []).filter(({ status }) => status === 'rejected');
  assert.equal(rejected.length, 100);
  for (const { reason } of rejected as PromiseRejectedResult[]) assert.equal(reason.code, 'unavailable');
  assert.partialDeepStrictEqual(await right, { projectId });
});

test('a revoked key is not accepted, and a key cannot be revoked twice or by another project', async () => {
  const { id, token } = await createApiKey(db.database, projectId, 'gone', null);
  const keyId = decodeId('key', id) ?? '';
  assert.equal(await revokeApiKey(db.database, await newProject(db.database, 'thief'), keyId), false);
  assert.equal(await revokeApiKey(db.database, projectId, keyId), true);
  assert.equal(await revokeApiKey(db.database, projectId, keyId), false);
  assert.equal(await new ApiKeys(db.database).authenticate(token, '::1'), null);
});

test('the audit log has the changes to a key, but not its token', async () => {
  const shop = await newProject(db.database, 'audited');
  const restrictions = { ...UNRESTRICTED, recipients: ['*@acme.example'] };
  const { id, token } = await createApiKey(db.database, shop, 'ci', ['emails:send'], { restrictions });
  const keyId = decodeId('key', id) ?? '';
  for (const name of ['staging', 'staging']) assert.ok(await renameApiKey(db.database, shop, keyId, name));
  assert.equal(await renameApiKey(db.database, projectId, keyId, 'thief'), false);
  assert.ok(await revokeApiKey(db.database, shop, keyId));
  assert.equal(await renameApiKey(db.database, shop, keyId, 'gone'), false);
  const rows = await db.database
    .selectFrom('auditLog')
    .selectAll()
    .where('projectId', '=', shop)
    .where('target', '=', id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ action, target, before, after }) => ({ action, target, before, after })),
    [
      {
        action: 'api-key.create',
        target: id,
        before: null,
        after: {
          name: 'ci',
          scopes: ['emails:send'],
          from_domains: null,
          recipients: ['*@acme.example'],
          addresses: null,
          expires_at: null,
        },
      },
      { action: 'api-key.rename', target: id, before: { name: 'ci' }, after: { name: 'staging' } },
      { action: 'api-key.revoke', target: id, before: { name: 'staging' }, after: null },
    ],
  );
  assert.ok(!JSON.stringify(rows).includes(token.slice('svc_live_'.length)));
});

test('a key is rejected after its expiry, even if it is cached', async (t) => {
  const keys = new ApiKeys(db.database);
  const expiresAt = new Date(clock.nowMs() + 60_000);
  const { token } = await createApiKey(db.database, projectId, 'short', null, {
    restrictions: { ...UNRESTRICTED, expiresAt },
  });
  assert.notEqual(await keys.authenticate(token, '::1'), null);
  t.mock.method(Date, 'now', () => expiresAt.getTime() + 1);
  assert.equal(keys.authenticate(token, '::1'), null);
  assert.equal(await new ApiKeys(db.database).authenticate(token, '::1'), null);
});

test('a key with source addresses is accepted only from these addresses, also with concurrent requests from other addresses', async () => {
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'office', null, {
    restrictions: { ...UNRESTRICTED, addresses: ['192.0.2.0/24'] },
  });
  const found = await Promise.all(
    ['192.0.2.1', '198.51.100.1', 'unknown', ''].map(async (address) => keys.authenticate(token, address)),
  );
  assert.deepEqual(
    found.map((key) => key !== null),
    [true, false, false, false],
  );
  assert.equal(keys.authenticate(token, '198.51.100.1'), null);
});

test('the restrictions of a key are parsed once per look-up, not for each request', async () => {
  const keys = new ApiKeys(db.database);
  const { token } = await createApiKey(db.database, projectId, 'staging', null, {
    restrictions: { ...UNRESTRICTED, recipients: ['*@acme.example'] },
  });
  const first = await keys.authenticate(token, '::1');
  assert.equal(first?.restrictions?.allowsRecipient('ada@acme.example'), true);
  assert.equal(first?.restrictions?.allowsRecipient('ada@dst.example'), false);
  assert.equal((await keys.authenticate(token, '::1'))?.restrictions, first?.restrictions);
});

async function lastUseOf(id: string): Promise<Date | null> {
  const key = await readApiKey(db.database, projectId, decodeId('key', id) ?? '');
  return key?.lastUsedAt ?? null;
}

test('the last use of a key is written at most once a minute, and only for accepted requests', async () => {
  const { id, token } = await createApiKey(db.database, projectId, 'used', null, {
    restrictions: { ...UNRESTRICTED, addresses: ['192.0.2.1'] },
  });
  const wrong = new ApiKeys(db.database);
  assert.equal(await wrong.authenticate(token, '192.0.2.2'), null);
  assert.equal(await lastUseOf(id), null);
  // The key is already cached from the rejected request above.
  assert.notEqual(await wrong.authenticate(token, '192.0.2.1'), null);
  assert.ok(await eventually(async () => (await lastUseOf(id)) !== null, 2_000));
  const first = await lastUseOf(id);

  const { token: other, id: otherId } = await createApiKey(db.database, projectId, 'other', null);
  const keys = new ApiKeys(db.database);
  assert.notEqual(await keys.authenticate(token, '192.0.2.1'), null);
  await keys.authenticate(other, '::1');
  assert.ok(await eventually(async () => (await lastUseOf(otherId)) !== null, 2_000));
  assert.deepEqual(await lastUseOf(id), first);

  const earlier = new Date(clock.nowMs() - 61_000);
  await db.database.updateTable('apiKeys').set({ lastUsedAt: earlier }).where('name', '=', 'used').execute();
  await new ApiKeys(db.database).authenticate(token, '192.0.2.1');
  assert.ok(await eventually(async () => (await lastUseOf(id))?.getTime() !== earlier.getTime(), 2_000));
});

test('a name of a key that is empty, too long, or on several lines is rejected', async () => {
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(101)])
    await assert.rejects(
      createApiKey(db.database, projectId, name, null),
      (error) => error instanceof AppError && error.errors?.['name'] !== undefined,
      name,
    );
});

test('a project can have at most a thousand keys, not counting revoked keys', async () => {
  const full = await newProject(db.database, 'full');
  await sql`insert into api_keys (project_id, id, name, token_sha256, created_at)
    select ${full}, gen_random_uuid(), n::text, sha256(n::text::bytea), now() from generate_series(1, ${MAX_KEYS}) n`.execute(
    db.database,
  );
  await assert.rejects(createApiKey(db.database, full, 'one more', null), { code: 'validation-failed' });
  await sql`update api_keys set revoked_at = now() where project_id = ${full} and name = '1'`.execute(
    db.database,
  );
  await createApiKey(db.database, full, 'in its place', null);
});

test('a project is found by its name, and a second project with the same name is rejected', async () => {
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
