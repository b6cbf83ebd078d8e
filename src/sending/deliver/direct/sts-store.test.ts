import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { type CachedPolicy, readCachedPolicy, cachePolicy } from './sts-store.ts';

const POLICY = { mode: 'enforce', mx: ['mx.dst.test', '*.dst.test'], maxAgeSeconds: 60 } as const;
const NOW_MS = Date.parse('2026-11-20T12:00:00.123Z');
const KEPT: CachedPolicy = { policy: POLICY, recordId: 'one', fetchedAtMs: NOW_MS };

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());
beforeEach(() => db.database.deleteFrom('mtaStsPolicies').execute());

function policyAt(recordId: string, fetchedAtMs: number): CachedPolicy {
  return { ...KEPT, recordId, fetchedAtMs };
}

async function stored(): Promise<string[]> {
  const rows = await db.database.selectFrom('mtaStsPolicies').select(['domain', 'recordId']).execute();
  return rows.map(({ domain, recordId }) => `${domain} ${recordId}`).sort();
}

test('a stored policy is read unchanged, and other domains have no policy', async () => {
  await cachePolicy(db.database, 'dst.test', KEPT);
  assert.deepEqual(await readCachedPolicy(db.database, 'dst.test'), KEPT);
  assert.equal(await readCachedPolicy(db.database, 'sub.dst.test'), null);
  const none: CachedPolicy = { ...KEPT, policy: { mode: 'none', mx: [], maxAgeSeconds: 31_557_600 } };
  await cachePolicy(db.database, 'none.test', none);
  assert.deepEqual(await readCachedPolicy(db.database, 'none.test'), none);
});

test('a newer policy replaces an older policy, and an older policy does not replace a newer one', async () => {
  await cachePolicy(db.database, 'dst.test', KEPT);
  await cachePolicy(db.database, 'dst.test', policyAt('two', NOW_MS + 1));
  await cachePolicy(db.database, 'dst.test', policyAt('three', NOW_MS));
  assert.deepEqual(await stored(), ['dst.test two']);
});

test('a policy replaces an expired policy, and expired policies of other domains are deleted', async () => {
  await cachePolicy(db.database, 'dst.test', KEPT);
  await cachePolicy(db.database, 'old.test', KEPT);
  await cachePolicy(db.database, 'dst.test', policyAt('two', NOW_MS + 60_001));
  assert.deepEqual(await stored(), ['dst.test two']);
});

test('many processes can store policies at the same time', async () => {
  const domains = Array.from({ length: 20 }, (_, n) => `d${n}.test`);
  for (const domain of domains) await cachePolicy(db.database, domain, KEPT);
  const later = policyAt('two', NOW_MS + 60_001);
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => cachePolicy(db.database, `d${n % 20}.test`, later)),
  );
  assert.ok((await stored()).every((row) => row.endsWith(' two')));
});
