/** Databases of code before the baseline, which had 87 migrations in its place. */
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';

/** Names of migrations, the newest last. */
export const REPLACED_MIGRATIONS: readonly string[] = [
  ...Array.from({ length: 86 }, (_, n) => `${String(n + 1).padStart(4, '0')}-replaced.sql`),
  '0103-keys-by-project.sql',
];

/** Makes of a new database what that code left: the same schema, and other rows of migrations. */
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
