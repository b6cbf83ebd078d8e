/** Imitates databases from versions before the baseline, which is a migration that replaced 87 earlier migrations. */
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';

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
