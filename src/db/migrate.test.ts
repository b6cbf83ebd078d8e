import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { pino } from 'pino';
import { eventually } from '../../test/support/eventually.ts';
import { emptyDatabase, testDatabase } from '../../test/support/postgres.ts';
import { showProcess } from '../../test/support/process-rows.ts';
import { Contracting } from './contracting.ts';
import { type Database, openDatabase } from './database.ts';
import { StartupError } from '../model/startup-error.ts';
import { type MigrationStep, migrate, runContracts } from './migrate.ts';
import { type Migration, parseMigration, readMigrations } from './migration-files.ts';
import { TIMINGS } from './timings.ts';

const PATIENCE_MS = 10_000;

const more = parseMigration(
  '9998-more.sql',
  "create table a (n int default 1);\n-- $sql$\nselect 'x'; create table b ();",
);
const contract = parseMigration('9999-contract.sql', '-- migration: serves from 99.0.0\ndrop table b;');

function oneByOne(...statements: string[]): Migration {
  return parseMigration('9998-more.sql', `-- migration: one by one\n${statements.join(';\n')};`);
}

const withMore = (...added: Migration[]) => ({ migrations: [...readMigrations(), ...added] });

async function isThere(database: Database, relation: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select to_regclass(${relation}) is not null as found`.execute(database);
  return rows[0]?.found === true;
}

async function recorded(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_changes order by name`.execute(
    database,
  );
  return rows.map(({ name }) => name);
}

suite('migrate', () => {
  test('each migration runs once', async () => {
    await using db = await testDatabase();
    await migrate(db.url, withMore(more));
    await migrate(db.url, withMore(more));
    assert.deepEqual(
      await recorded(db.database),
      withMore(more).migrations.map(({ name }) => name),
    );
  });

  test('a migration that waits for a lock does not block other statements', async () => {
    await using db = await testDatabase();
    const altering = parseMigration('9998-more.sql', 'alter table emails add column a int;');
    const { promise: isWaiting, resolve } = Promise.withResolvers<void>();
    const onStep = ({ kind }: MigrationStep) => kind === 'retrying' && resolve();
    let migrating: Promise<string[]> | undefined;
    await db.database.transaction().execute(async (tx) => {
      await sql`select from emails`.execute(tx);
      migrating = migrate(db.url, { ...withMore(altering), onStep });
      await isWaiting;
      // Each of these statements would time out if it queued behind a migration that waits for its lock without a limit.
      for (let n = 0; n < 20; n++) await sql`select from emails`.execute(db.database);
    });
    await migrating;
    await sql`select a from emails`.execute(db.database);
  });

  test('each tenth try waits longer for a lock, because autovacuum yields only to long waits', async () => {
    await using db = await testDatabase();
    const altering = parseMigration('9998-more.sql', 'alter table emails add column a int;');
    const timings = { migrationLockMs: 1, migrationPauseMs: 1, longMigrationLockMs: 20_000 };
    let migrating: Promise<string[]> | undefined;
    await db.database.transaction().execute(async (tx) => {
      await sql`select from emails`.execute(tx);
      migrating = migrate(db.url, { ...withMore(altering), timings });
      const hasWaited = async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query like 'alter%' and clock_timestamp() - query_start > '200 ms'`.execute(db.database);
        return rows.length > 0;
      };
      assert.ok(await eventually(hasWaited, PATIENCE_MS));
    });
    await migrating;
    await sql`select a from emails`.execute(db.database);
  });

  test('a migration is retried after a deadlock with a statement of another instance', async () => {
    await using db = await testDatabase();
    const both = 'alter table emails add column a int; alter table email_recipients add column a int;';
    const { promise: isWaiting, resolve } = Promise.withResolvers<void>();
    const onStep = ({ kind }: MigrationStep) => kind === 'retrying' && resolve();
    let migrating: Promise<string[]> | undefined;
    await db.database.transaction().execute(async (tx) => {
      await sql`select from email_recipients`.execute(tx);
      migrating = migrate(db.url, { ...withMore(parseMigration('9998-more.sql', both)), onStep });
      await isWaiting;
      await sql`select from emails`.execute(tx);
    });
    await migrating;
  });

  test('only one instance migrates at a time', async () => {
    await using db = await testDatabase();
    // A concurrent index build waits for all older transactions, including the transaction of a waiting instance.
    const building = oneByOne('create index concurrently if not exists domains_more on domains (status)');
    await Promise.all([1, 2, 3, 4].map(() => migrate(db.url, withMore(building))));
    assert.ok(await isThere(db.database, 'domains_more'));
  });

  test('a failing migration is rolled back, and earlier migrations stay', async () => {
    await using db = await testDatabase();
    const broken = parseMigration('9999-broken.sql', 'create table c (); create table c ();');
    await assert.rejects(migrate(db.url, withMore(more, broken)), /relation "c" already exists/);
    assert.equal(await isThere(db.database, 'c'), false);
    assert.equal((await recorded(db.database)).at(-1), more.name);
  });

  test('an interrupted migration without a transaction continues with its remaining statements', async () => {
    await using db = await testDatabase();
    const first = 'create table if not exists c (batch int)';
    await assert.rejects(migrate(db.url, withMore(oneByOne(first, 'select 1 / 0'))), /division by zero/);
    assert.ok(await isThere(db.database, 'c'));
    const batches = `
      do $$ begin for step in 1..3 loop insert into c select step where step not in (select batch from c); commit; end loop; end $$`;
    await migrate(db.url, withMore(oneByOne(first, batches)));
    const { rows } = await sql<{ batch: number }>`select batch from c order by batch`.execute(db.database);
    assert.deepEqual(
      rows.map(({ batch }) => batch),
      [1, 2, 3],
    );
    assert.equal((await recorded(db.database)).at(-1), more.name);
  });

  test('an index whose build was interrupted is rebuilt', async () => {
    await using db = await testDatabase();
    await sql`create table c (n int)`.execute(db.database);
    await sql`insert into c values (1), (1)`.execute(db.database);
    await assert.rejects(
      sql`create unique index concurrently c_n on c (n)`.execute(db.database),
      /could not create unique index/,
    );
    await migrate(db.url, withMore(oneByOne('create index concurrently if not exists c_n on c (n)')));
    const { rows } = await sql<{ valid: boolean }>`
      select indisvalid as valid from pg_index where indexrelid = 'c_n'::regclass`.execute(db.database);
    assert.deepEqual(rows, [{ valid: true }]);
  });
});

suite('contracting migrations', () => {
  test('a contracting migration runs at once in a new database', async () => {
    await using db = await testDatabase();
    await sql`drop schema public cascade`.execute(db.database);
    await sql`create schema public`.execute(db.database);
    const ours = parseMigration('9999-contract.sql', '-- migration: serves from 0.2.0\ndrop table b;');
    assert.deepEqual(await migrate(db.url, withMore(ours, more)), []);
    assert.equal(await isThere(db.database, 'b'), false);
  });

  test('a contracting migration waits until no older process is alive or was seen recently', async () => {
    await using db = await testDatabase();
    assert.deepEqual(await migrate(db.url, withMore(more, contract)), [contract.name]);
    assert.equal(await runContracts(db.url, () => false, withMore(more, contract)), false);
    await showProcess(db.database, { version: '0.1.0' });
    assert.equal(await runContracts(db.url, () => true, withMore(more, contract)), false);
    assert.ok(await isThere(db.database, 'b'));
    await sql`update processes set heartbeat_at = now() - interval '1 minute'`.execute(db.database);
    assert.equal(await runContracts(db.url, () => true, withMore(more, contract)), true);
    assert.equal(await isThere(db.database, 'b'), false);
    assert.equal(await runContracts(db.url, () => false, withMore(more, contract)), true);
  });

  test('older code cannot start once a contracting migration has begun', async () => {
    await using db = await testDatabase();
    await migrate(db.url, withMore(more));
    const broken = parseMigration(
      contract.name,
      '-- migration: serves from 99.0.0\n-- migration: one by one\ndrop table if exists b; select 1 / 0;',
    );
    await assert.rejects(
      runContracts(db.url, () => true, withMore(more, broken)),
      /division by zero/,
    );
    assert.equal((await recorded(db.database)).at(-1), contract.name);
    await assert.rejects(migrate(db.url), (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, /newer than this version of Posthorn.* supports 99\.0\.0/);
      return true;
    });
  });

  test('a contracting migration that has begun is finished by the next start of its version', async () => {
    await using db = await testDatabase();
    await migrate(db.url, withMore(more));
    const half = (last: string) =>
      parseMigration(contract.name, `-- migration: serves from 0.2.0\n-- migration: one by one\n${last};`);
    await assert.rejects(runContracts(db.url, () => true, withMore(more, half('select 1 / 0'))));
    await showProcess(db.database, { version: '0.1.0' });
    assert.deepEqual(await migrate(db.url, withMore(more, half('drop table if exists b'))), []);
    assert.equal(await isThere(db.database, 'b'), false);
  });

  test('older code can start as long as every contracting migration supports it', async () => {
    await using db = await testDatabase();
    await migrate(db.url, withMore(more));
    assert.deepEqual(await migrate(db.url), []);
  });

  test('a contracting migration runs in only one instance, and other instances do not wait', async () => {
    await using db = await testDatabase();
    await migrate(db.url, withMore(more));
    const other = openDatabase(db.url);
    await other.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(7678467)`.execute(connection);
      assert.equal(await runContracts(db.url, () => true, withMore(more, contract)), false);
    });
    await other.destroy();
    assert.ok(await isThere(db.database, 'b'));
  });

  test('a contracting migration runs during operation, once no older process was seen for long enough', async () => {
    await using db = await testDatabase();
    await migrate(db.url, withMore(more));
    const timings = { contractCheckMs: 5 };
    let unseenMs = TIMINGS.contractAfterMs - 1;
    let checks = 0;
    const presence = {
      unseenMs: () => {
        checks += 1;
        return unseenMs;
      },
    };
    const logger = pino({ level: 'silent' });
    using contracting = new Contracting({
      url: db.url,
      presence,
      logger,
      timings,
      ...withMore(more, contract),
    });
    assert.ok(await eventually(() => checks > 2, PATIENCE_MS));
    assert.ok(await isThere(db.database, 'b'));
    unseenMs += 1;
    assert.ok(
      await eventually(async () => !(await isThere(db.database, 'b')), PATIENCE_MS),
      `${contracting}`,
    );
  });
});

test('a role that does not own the database can migrate it', async () => {
  await using db = await emptyDatabase();
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await sql`create role ${sql.ref(role)} login`.execute(db.database);
  await sql`grant create on schema public to ${sql.ref(role)}`.execute(db.database);
  try {
    const url = new URL(db.url);
    url.username = role;
    await migrate(url.href);
    assert.equal(await isThere(db.database, 'emails_last'), true);
  } finally {
    await sql`drop owned by ${sql.ref(role)} cascade`.execute(db.database);
    await sql`drop role ${sql.ref(role)}`.execute(db.database);
  }
});

test('each advisory lock has a name and a unique number', () => {
  const root = fileURLToPath(new URL('../', import.meta.url));
  const sources = globSync('**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => readFileSync(`${root}${path}`, 'utf8'));
  const numbers = sources.flatMap((text) =>
    [...text.matchAll(/\b[A-Z_]*LOCK = ([\d_]+);/g)].map(([, number]) => Number(number?.replaceAll('_', ''))),
  );
  assert.ok(numbers.length >= 5);
  assert.equal(new Set(numbers).size, numbers.length, numbers.join(' '));
  const taken = sources.flatMap((text) => text.match(/advisory_(?:xact_)?lock\w*\(.*/g) ?? []);
  assert.ok(taken.length >= 5);
  for (const call of taken) assert.match(call, /lock\)?\}|hashtextextended/i);
});

test('an unknown migration is rejected by name unless newer code added it', async () => {
  await using db = await testDatabase();
  const record = (name: string) =>
    sql`insert into schema_changes (name, applied_at) values (${name}, now())`.execute(db.database);
  await record('9999-newer.sql');
  assert.deepEqual(await migrate(db.url, withMore(more)), []);
  await record('9997-another-way.sql');
  await assert.rejects(
    migrate(db.url, withMore(more)),
    (error) =>
      error instanceof StartupError &&
      error.exitCode === 78 &&
      /migration 9997-another-way\.sql, which this version/.test(error.message),
  );
});
