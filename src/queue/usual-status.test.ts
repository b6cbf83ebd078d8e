import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase } from '../../test/support/postgres.ts';
import type { Database } from '../db/database.ts';
import { ProviderWatch } from './provider-kind.ts';
import { setUsualStatus, USUAL_STATUS } from './usual-status.ts';

async function usualStatus(database: Database): Promise<number | null | undefined> {
  const { rows } = await sql<{ usual: number | null }>`select ${USUAL_STATUS} as usual`.execute(database);
  return rows[0]?.usual;
}

test('the usual status follows the provider once no older code is running', async () => {
  await using db = await testDatabase();
  const { database } = db;
  await sql`update schema_changes set applied_at = null where name like '0104%'`.execute(database);
  await setUsualStatus(database, 'smtp', undefined);
  assert.equal(await usualStatus(database), null);
  await sql`update schema_changes set applied_at = now() where name like '0104%'`.execute(database);
  for (const [provider, usual] of [
    ['smtp', 2],
    ['direct', 3],
    ['ses', 2],
    ['sandbox', 3],
  ] as const) {
    await setUsualStatus(database, provider, undefined);
    assert.equal(await usualStatus(database), usual);
  }
});

test('a worker may send although the usual status cannot be set, and does not try again at the next poll', async () => {
  await using db = await testDatabase();
  await sql`drop table settings`.execute(db.database);
  const quiet = { info: () => {}, error: () => {} };
  const watch = new ProviderWatch(db.database, { provider: 'smtp', isProviderNamed: true }, quiet);
  await assert.rejects(watch.learn(new Map()), /settings/);
  assert.equal(watch.maySend, true);
  await watch.learn(new Map());
});
