/** Imitates databases from versions before the baseline, which is a migration that replaced 87 earlier migrations. */
import { sql } from 'kysely';
import { BASELINE } from '../../src/db/baseline.ts';
import type { Database } from '../../src/db/database.ts';
import { readMigrations } from '../../src/db/migration-files.ts';
import { emptyDatabase, type TestDatabase } from './postgres.ts';
import { migrate } from '../../src/db/migrate.ts';

/** Names of the replaced migrations, in order. */
export const REPLACED_MIGRATIONS: readonly string[] = [
  ...Array.from({ length: 86 }, (_, n) => `${String(n + 1).padStart(4, '0')}-replaced.sql`),
  '0103-keys-by-project.sql',
];

/** Makes a new database look like a database from before the baseline: only the recorded migrations differ, not the schema. */
export async function recordReplaced(
  database: Database,
  migrations: readonly string[] = REPLACED_MIGRATIONS,
): Promise<void> {
  await sql`delete from schema_changes`.execute(database);
  await sql`
    insert into schema_changes (name, applied_at) select name, now() from unnest(${[...migrations]}::text[]) name`.execute(
    database,
  );
}

/** Later migrations would change the schema that is compared. */
export const ONLY_BASELINE = readMigrations().filter(({ name }) => name === BASELINE);

/** A new database with the schema of the baseline. */
export async function baselineDatabase(): Promise<TestDatabase> {
  const db = await emptyDatabase();
  await migrate(db.url, { migrations: ONLY_BASELINE });
  return db;
}

/** A database that ran the replaced migrations. */
export async function olderDatabase(): Promise<TestDatabase> {
  const db = await baselineDatabase();
  await recordReplaced(db.database);
  return db;
}
