/** The state after a killed migration, and how the next start completes the migration. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { sql } from 'kysely';
import { type MigrationStep, migrate } from '../../src/db/migrate.ts';
import { parseMigration, readMigrations } from '../../src/db/migration-files.ts';
import { eventually } from '../support/eventually.ts';
import { testDatabase, type TestDatabase } from '../support/postgres.ts';

const NAME = '9999-slow.sql';
const TEXT = `-- migration: one by one
create index concurrently if not exists domains_slow on domains (status);`;
const migrations = [...readMigrations(), parseMigration(NAME, TEXT)];
const SOURCES = new URL('../../src/db/', import.meta.url).href;
const PROGRAM = `
  import { migrate } from '${SOURCES}migrate.ts';
  import { parseMigration, readMigrations } from '${SOURCES}migration-files.ts';
  const { URL_OF_DATABASE: url, NAME: name, TEXT: text } = process.env;
  await migrate(url, { migrations: [...readMigrations(), parseMigration(name, text)] });`;
const PATIENCE_MS = 20_000;

/** Starts a process that runs the migrations. */
function start({ url }: TestDatabase) {
  return spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: 'ignore',
    env: { ...process.env, URL_OF_DATABASE: url, NAME, TEXT },
  });
}

/** The process id of the PostgreSQL backend that builds the index and waits for an older transaction; null without such a backend. */
async function building({ database }: TestDatabase): Promise<number | null> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where query like 'create index concurrently%' and wait_event_type = 'Lock' and datname = current_database()`.execute(
    database,
  );
  return rows[0]?.pid ?? null;
}

async function isValid({ database }: TestDatabase): Promise<boolean | undefined> {
  const { rows } = await sql<{ valid: boolean }>`
    select indisvalid as valid from pg_index where indexrelid = to_regclass('domains_slow')`.execute(
    database,
  );
  return rows[0]?.valid;
}

test('the next start waits for the statement that a killed start left running, and continues from there', async () => {
  await using db = await testDatabase();
  const { promise: isQueued, resolve } = Promise.withResolvers<void>();
  const onStep = ({ kind }: MigrationStep) => kind === 'waiting' && resolve();
  let next: Promise<string[]> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table domains in row exclusive mode`.execute(tx);
    const killed = start(db);
    assert.ok(await eventually(async () => (await building(db)) !== null, PATIENCE_MS));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    next = migrate(db.url, { migrations, onStep });
    await isQueued;
    assert.equal(await isValid(db), false);
  });
  assert.deepEqual(await next, []);
  assert.equal(await isValid(db), true);
});

test('the next start builds an index whose build was aborted', async () => {
  await using db = await testDatabase();
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table domains in row exclusive mode`.execute(tx);
    const broken = start(db);
    assert.ok(await eventually(async () => (await building(db)) !== null, PATIENCE_MS));
    await sql`select pg_terminate_backend(${await building(db)})`.execute(db.database);
    await once(broken, 'exit');
    assert.notEqual(broken.exitCode, 0);
  });
  assert.equal(await isValid(db), false);
  await migrate(db.url, { migrations });
  assert.equal(await isValid(db), true);
});
