import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { type Database, isDatabaseAway, mayWorkLater, openDatabase } from './database.ts';

test('idle transactions end after 10 s, except in patient sessions', async () => {
  await using db = await testDatabase();
  const limitOf = async (database: Database) =>
    (
      await sql<{
        limit: string;
      }>`select current_setting('idle_in_transaction_session_timeout') as limit`.execute(database)
    ).rows[0]?.limit;
  const patient = openDatabase(db.url, { patient: true });
  assert.equal(await limitOf(db.database), '10s');
  assert.notEqual(await limitOf(patient), '10s');
  await patient.destroy();
});

test('a statement in a transaction that PostgreSQL ended for being idle fails as an unavailable database', async () => {
  await using db = await testDatabase();
  const transaction = db.database.transaction().execute(async (tx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
    await sql`set idle_in_transaction_session_timeout = 1`.execute(tx);
    const isGone = async () => {
      const found = await sql`select from pg_stat_activity where pid = ${rows[0]?.pid}`.execute(db.database);
      return found.rows.length === 0;
    };
    assert.ok(await eventually(isGone, 5_000));
    await sql`select 1`.execute(tx);
  });
  await assert.rejects(transaction, isDatabaseAway);
});

test('a statement timeout may be retried later, but does not mean that the database is unavailable', async () => {
  await using db = await testDatabase();
  const hurried = openDatabase(db.url, { statementTimeoutMs: 20 });
  await assert.rejects(
    sql`select pg_sleep(60)`.execute(hurried),
    (error) => mayWorkLater(error) && !isDatabaseAway(error),
  );
  await hurried.destroy();
});

// Errors of `connect` that do not come from the server. The statement may succeed later, and no message caused the error.
for (const code of ['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE']) {
  test(`${code} on connect means that the database is unavailable`, () => {
    assert.equal(
      isDatabaseAway(Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })),
      true,
    );
  });
}

test('sessions that write do not prune partitions on PostgreSQL 18, because pruning could crash the server', async () => {
  await using db = await testDatabase();
  const { rows } = await sql<{ isSafe: boolean }>`
    select current_setting('server_version_num')::int < 180000 as is_safe`.execute(db.database);
  for (const [options, expected] of [
    [{}, rows[0]?.isSafe === true],
    [{ patient: true }, rows[0]?.isSafe === true],
    [{ readsOnly: true }, true],
    [{ readsOnly: true, byKey: true }, true],
  ] as const) {
    const opened = openDatabase(db.url, options);
    const shown = await sql<{ isOn: boolean }>`
      select current_setting('enable_partition_pruning')::bool as is_on`.execute(opened);
    assert.equal(shown.rows[0]?.isOn, expected);
    await opened.destroy();
  }
});
