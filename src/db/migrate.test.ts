import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { openDatabase } from './database.ts';
import { StartupError } from './embedded/startup-error.ts';
import { migrate, readMigrations } from './migrate.ts';

const more = {
  name: '9999-more.sql',
  statements: "create table a (n int default 1);\n-- $sql$\nselect 'x'; create table b ();",
};

suite('migrate', () => {
  test('runs each migration once', async () => {
    await using db = await testDatabase();
    await migrate(db.database, [...readMigrations(), more]);
    await migrate(db.database, [...readMigrations(), more]);
    const { rows } = await sql<{ name: string }>`select name from migrations order by name`.execute(
      db.database,
    );
    assert.deepEqual(
      rows.map(({ name }) => name),
      [...readMigrations().map(({ name }) => name), more.name],
    );
  });

  test('has each tag of the emails of an earlier version once', async () => {
    await using db = await testDatabase();
    // As the version before left it.
    await sql`drop table email_tags`.execute(db.database);
    await sql`drop index emails_status, emails_sender`.execute(db.database);
    await sql`delete from migrations where name = '0006-lists.sql'`.execute(db.database);
    await sql`
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, stages)
      select gen_random_uuid(), gen_random_uuid(), now(), '', '', '{}', '', tags::text[], '{0}'
      from (values ('{a,b,a}'), ('{a}'), ('{}')) made (tags)`.execute(db.database);
    await migrate(db.database);
    const { rows } = await sql<{ tag: string }>`
      select tag from email_tags t join emails e on e.project_id = t.project_id and e.id = t.email_id
      order by tag`.execute(db.database);
    assert.deepEqual(
      rows.map(({ tag }) => tag),
      ['a', 'a', 'b'],
    );
  });

  test('is tried again where a statement of an earlier version has locked the tables in another order', async () => {
    await using db = await testDatabase();
    const statements = 'alter table emails add column a int; alter table recipients add column a int;';
    const waiting = sql`select from pg_locks where not granted and relation = 'recipients'::regclass`;
    let migrating: Promise<void> | undefined;
    await db.database.transaction().execute(async (tx) => {
      await sql`set local deadlock_timeout = '1min'`.execute(tx);
      await sql`select from recipients`.execute(tx);
      migrating = migrate(db.database, [...readMigrations(), { name: '9999-order.sql', statements }]);
      assert.ok(await eventually(async () => (await waiting.execute(db.database)).rows.length > 0, 2_000));
      await sql`set local lock_timeout = 0`.execute(tx);
      await sql`select from emails`.execute(tx);
    });
    await migrating;
  });

  test('lets instances that start at once take turns', async () => {
    await using db = await testDatabase();
    const instances = [1, 2, 3, 4].map(() => openDatabase(db.url));
    await Promise.all(instances.map((instance) => migrate(instance, [...readMigrations(), more])));
    await Promise.all(instances.map((instance) => instance.destroy()));
    const { rows } = await sql`select from migrations where name = ${more.name}`.execute(db.database);
    assert.equal(rows.length, 1);
  });

  test('leaves the database as it was when a migration fails', async () => {
    await using db = await testDatabase();
    const broken = { name: '9999-more.sql', statements: 'create table a (); create table a ();' };
    await assert.rejects(migrate(db.database, [...readMigrations(), broken]), /relation "a" already exists/);
    const { rows } = await sql<{ found: string | null }>`select to_regclass('a') as found`.execute(
      db.database,
    );
    assert.equal(rows[0]?.found, null);
  });

  test('refuses a database that newer code has migrated, and names the migration', async () => {
    await using db = await testDatabase();
    await migrate(db.database, [...readMigrations(), more]);
    await assert.rejects(migrate(db.database), (error) => {
      assert.ok(error instanceof StartupError);
      assert.match(error.message, /newer than this version.*9999-more\.sql/);
      return true;
    });
  });
});
