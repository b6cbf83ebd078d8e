/** Brings a database to the schema of this code: the files of `migrations/`, each once, in the order of their names. */
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { StartupError } from './embedded/startup-error.ts';
import { retryingConflicts } from './retry.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
const OLDEST_MAJOR_VERSION = 15;
/** Any number of ours; the lock is per database. */
const LOCK_ID = 7_678_467;

/** A migration: plain SQL statements, run in a transaction. */
export interface Migration {
  name: string;
  statements: string;
}

/** The migrations of this code, in order. */
export function readMigrations(): Migration[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, statements: readFileSync(new URL(name, FOLDER), 'utf8') }));
}

/**
 * Runs what has not run yet, all of it in one transaction or none. When several instances start at once, one does it and
 * the others wait. Instances of an earlier version may be at work meanwhile: whatever the order in which tables are
 * changed, one of their statements may lock them in another one, and PostgreSQL then breaks off either.
 * @throws StartupError when PostgreSQL is too old, or the database was migrated by newer code
 */
export function migrate(database: Database, migrations: Migration[] = readMigrations()): Promise<void> {
  return retryingConflicts(() => migrateOnce(database, migrations));
}

async function migrateOnce(database: Database, migrations: Migration[]): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const version = await sql<{ number: number }>`
      select current_setting('server_version_num')::int as number`.execute(transaction);
    const majorVersion = Math.floor((version.rows[0]?.number ?? 0) / 10_000);
    if (majorVersion < OLDEST_MAJOR_VERSION) {
      throw new StartupError(
        `The database is PostgreSQL ${majorVersion}. Posthorn needs ${OLDEST_MAJOR_VERSION} or later.`,
      );
    }
    // To wait for another instance, or to change a large table, takes long and is no fault.
    await sql`set local statement_timeout = 0`.execute(transaction);
    await sql`set local lock_timeout = 0`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_ID)})`.execute(transaction);
    await sql`set local client_min_messages = warning`.execute(transaction);
    await sql`create table if not exists migrations (
      name text primary key, applied_at timestamptz not null default now())`.execute(transaction);
    const done = await sql<{ name: string }>`select name from migrations order by name`.execute(transaction);
    const names = new Set(done.rows.map(({ name }) => name));
    const unknown = [...names].filter((name) => !migrations.some((migration) => migration.name === name));
    if (unknown.length > 0) {
      throw new StartupError(
        `The database is newer than this version of Posthorn: it has the migration ${unknown[0]}. Run the version that made it, or a later one.`,
      );
    }
    for (const { name, statements } of migrations.filter((migration) => !names.has(migration.name))) {
      // A prepared statement is one statement; a `do` block holds many.
      await sql`do ${sql.raw(quote(`begin execute ${quote(statements)}; end`))}`.execute(transaction);
      await sql`insert into migrations (name) values (${name})`.execute(transaction);
    }
  });
}

/** A string constant in dollar quotes, with a tag that the text does not have. */
function quote(text: string): string {
  let tag = '$sql$';
  while (text.includes(tag)) tag = `$sql${tag.length}$`;
  return `${tag}${text}${tag}`;
}
