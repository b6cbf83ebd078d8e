import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { suite, test } from 'node:test';
import { sql } from 'kysely';
import {
  baselineDatabase,
  olderDatabase,
  ONLY_BASELINE,
  recordReplaced,
  REPLACED_MIGRATIONS,
} from '../../test/support/before-baseline.ts';
import { eventually } from '../../test/support/eventually.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { StartupError } from '../model/startup-error.ts';
import { BASELINE } from './baseline.ts';
import type { Database } from './database.ts';
import { DatabaseClient } from './database-client.ts';
import { describeSchema, type SchemaDescription } from './describe-schema.ts';
import { migrate, runContracts } from './migrate.ts';
import { parseMigration } from './migration-files.ts';

const PATIENCE_MS = 10_000;
function adopt(url: string): Promise<string[]> {
  return migrate(url, { migrations: ONLY_BASELINE });
}

async function schemaOf({ url }: TestDatabase): Promise<SchemaDescription> {
  const client = new DatabaseClient({ connectionString: url });
  await client.connect();
  try {
    return await describeSchema(client);
  } finally {
    await client.end();
  }
}

async function recorded(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_changes order by name`.execute(
    database,
  );
  return rows.map(({ name }) => name);
}

async function assertRejected(url: string, message: RegExp): Promise<void> {
  await assert.rejects(adopt(url), (error) => {
    assert.ok(error instanceof StartupError, String(error));
    assert.equal(error.exitCode, 78);
    assert.match(error.message, message);
    return true;
  });
}

suite('adopting a database that ran the replaced migrations', () => {
  test('adoption records the baseline in place of the replaced migrations, and the schema equals that of a new database', async () => {
    await using fresh = await baselineDatabase();
    await using db = await olderDatabase();
    // Restore the constraint as it was before the baseline.
    await sql`alter table audit_log drop constraint audit_log_actor_kind_check`.execute(db.database);
    await sql`
      alter table audit_log add constraint audit_log_actor_kind_check
        check (actor_kind in ('user', 'api-key', 'command-line', 'system', 'mailbox')) not valid`.execute(
      db.database,
    );
    assert.deepEqual(await adopt(db.url), []);
    assert.deepEqual(await recorded(db.database), [BASELINE]);
    const schema = await schemaOf(db);
    assert.ok(schema.size > 1_000, `${schema.size}`);
    assert.deepEqual(schema, await schemaOf(fresh));
    const { rows } = await sql`select from pg_namespace where nspname = 'posthorn_baseline'`.execute(
      db.database,
    );
    assert.equal(rows.length, 0);
  });

  test('adoption also runs the migrations that follow the baseline', async () => {
    await using db = await olderDatabase();
    const next = parseMigration('9998-next.sql', 'create table next ();');
    await migrate(db.url, { migrations: [...ONLY_BASELINE, next] });
    assert.deepEqual(await recorded(db.database), [BASELINE, next.name]);
  });

  test('a database with additional tables, indexes and functions of the operator is adopted', async () => {
    await using db = await olderDatabase();
    await sql`create index emails_by_subject on emails (subject)`.execute(db.database);
    await sql`create table reports (n int check (n > 0))`.execute(db.database);
    await sql`create view sent as select id from emails`.execute(db.database);
    await sql`create function one() returns int language sql as 'select 1'`.execute(db.database);
    assert.deepEqual(await adopt(db.url), []);
    assert.deepEqual(await recorded(db.database), [BASELINE]);
  });

  test('a different schema is rejected, the error names the differences, and nothing is changed', async () => {
    await using db = await olderDatabase();
    await sql`drop index emails_status`.execute(db.database);
    await sql`alter table queue add column note text`.execute(db.database);
    await assertRejected(
      db.url,
      /created: column queue\.note is unexpected; index emails_status of emails is missing\. Nothing/,
    );
    await sql`drop table destination_holds, webhook_activity`.execute(db.database);
    await assertRejected(db.url, /column destination_holds\.domain is missing; .*; and \d more\. Nothing/);
    assert.deepEqual(await recorded(db.database), REPLACED_MIGRATIONS);
  });

  test('nothing is changed when PostgreSQL ends the session, and the next start adopts the database', async () => {
    await using db = await olderDatabase();
    const before = await schemaOf(db);
    await db.database.transaction().execute(async (tx) => {
      // The last statement of the adoption before its commit waits for this lock.
      await sql`lock table schema_changes in share mode`.execute(tx);
      const migrating = assert.rejects(adopt(db.url));
      const end = async () => {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where query like 'delete from schema_changes%' and wait_event_type = 'Lock' and datname = current_database()`.execute(
          db.database,
        );
        return rows.length > 0;
      };
      assert.ok(await eventually(end, PATIENCE_MS));
      await migrating;
    });
    assert.deepEqual(await recorded(db.database), REPLACED_MIGRATIONS);
    assert.deepEqual(await schemaOf(db), before);
    await adopt(db.url);
    assert.deepEqual(await recorded(db.database), [BASELINE]);
  });

  test('adoption does not wait for transactions that read and write tables', async () => {
    await using db = await olderDatabase();
    await db.database.transaction().execute(async (tx) => {
      await sql`insert into settings (name, value) values ('a', 'b')`.execute(tx);
      await sql`select from emails, queue, messages, deliveries limit 1`.execute(tx);
      await sql`lock table queue, audit_log in row exclusive mode`.execute(tx);
      await adopt(db.url);
    });
    assert.deepEqual(await recorded(db.database), [BASELINE]);
  });

  test('one of several instances that start at once adopts the database', async () => {
    await using db = await olderDatabase();
    await Promise.all([1, 2, 3].map(() => adopt(db.url)));
    assert.deepEqual(await recorded(db.database), [BASELINE]);
  });

  test('older code that is still running does not migrate an adopted database, and older code cannot start', async () => {
    await using db = await baselineDatabase();
    const older = REPLACED_MIGRATIONS.map((name) => parseMigration(name, 'select 1 / 0;'));
    // A running process of the older code calls `runContracts` from a timer.
    assert.equal(await runContracts(db.url, () => true, { migrations: older }), false);
    await assert.rejects(
      migrate(db.url, { migrations: older }),
      /has the migration 0001-baseline\.sql, which/,
    );
    assert.deepEqual(await recorded(db.database), [BASELINE]);
  });

  test('adoption without the permission to create a schema fails, and the error names the missing grant', async () => {
    await using db = await emptyDatabase();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await sql`create role ${sql.ref(role)} login`.execute(db.database);
    await sql`grant create on schema public to ${sql.ref(role)}`.execute(db.database);
    try {
      const url = new URL(db.url);
      url.username = role;
      await adopt(url.href);
      await recordReplaced(db.database);
      await assertRejected(url.href, /grant create on database/);
      assert.deepEqual(await recorded(db.database), REPLACED_MIGRATIONS);
      await sql`do $$ begin execute format('grant create on database %I to ${sql.raw(role)}', current_database()); end $$`.execute(
        db.database,
      );
      await adopt(url.href);
      assert.deepEqual(await recorded(db.database), [BASELINE]);
    } finally {
      await sql`drop owned by ${sql.ref(role)} cascade`.execute(db.database);
      await sql`drop role ${sql.ref(role)}`.execute(db.database);
    }
  });
});

suite('a database of code before the baseline that cannot be adopted', () => {
  const START_FIRST = /before 0\.2\.0, the first release\. Start commit [0-9a-f]{8} of Posthorn on it first/;

  test('a database that lacks a migration is rejected', async () => {
    await using db = await testDatabase();
    await recordReplaced(db.database, REPLACED_MIGRATIONS.slice(0, -1));
    await assertRejected(db.url, START_FIRST);
    assert.deepEqual(await recorded(db.database), REPLACED_MIGRATIONS.slice(0, -1));
  });

  test('a database with a migration that the baseline does not replace is rejected', async () => {
    await using db = await testDatabase();
    for (const name of ['0050-another-way.sql', '0104-later.sql']) {
      await recordReplaced(db.database, [...REPLACED_MIGRATIONS, name]);
      await assertRejected(db.url, START_FIRST);
    }
  });

  test('a database with an unfinished migration is rejected', async () => {
    await using db = await testDatabase();
    await recordReplaced(db.database);
    await sql`update schema_changes set applied_at = null where name = ${REPLACED_MIGRATIONS[40]}`.execute(
      db.database,
    );
    await assertRejected(db.url, START_FIRST);
  });

  test('a database without the table schema_changes is rejected', async () => {
    await using db = await emptyDatabase();
    await sql`create table email_contents ()`.execute(db.database);
    await assertRejected(db.url, START_FIRST);
    const { rows } = await sql`select from pg_class where relname = 'schema_changes'`.execute(db.database);
    assert.equal(rows.length, 0);
  });
});
