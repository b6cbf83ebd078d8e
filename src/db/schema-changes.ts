/**
 * What a database says of its schema, in the table `schema_changes`: a row for each migration that has run, or has begun to
 * take away what older code needs.
 */
import type pg from 'pg';
import { compareVersions, VERSION } from '../model/version.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import type { Migration } from './migration-files.ts';
import { currentName } from './migration-names.ts';

const OLDEST_MAJOR_VERSION = 15;
/** The last commit that takes over a database of code that was never released: that has `migrations` and no `schema_changes`. */
const LAST_FOR_UNRELEASED = '67f646df';

export interface SchemaChange {
  name: string;
  servesFrom: string | null;
  isDone: boolean;
}

type Ask = <Row extends object>(statement: string) => Promise<Row[]>;

/**
 * Empty where the database is.
 * @throws StartupError when PostgreSQL is too old, or the database is of code that was never released
 */
export async function readSchemaChanges(ask: Ask): Promise<SchemaChange[]> {
  const rows = await ask<{ version: number; found: 'schema_changes' | 'migrations' | null }>(`
    select current_setting('server_version_num')::int as version,
      case when to_regclass('schema_changes') is not null then 'schema_changes'
        when to_regclass('migrations') is not null then 'migrations' end as found`);
  const [{ version, found } = { version: 0, found: null }] = rows;
  const majorVersion = Math.floor(version / 10_000);
  if (majorVersion < OLDEST_MAJOR_VERSION) {
    throw new StartupError(
      `The database is PostgreSQL ${majorVersion}. Posthorn needs ${OLDEST_MAJOR_VERSION} or later.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
  if (found === null) return [];
  if (found === 'migrations') {
    throw new StartupError(
      `The database is of a version before 0.2.0, the first release. Start commit ${LAST_FOR_UNRELEASED} of Posthorn on it first, for two hours, then this version.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
  const changes = await ask<SchemaChange>(
    `select name, serves_from as "servesFrom", applied_at is not null as "isDone" from schema_changes order by name`,
  );
  return changes.map((change) => ({ ...change, name: currentName(change.name) }));
}

export function missingOf(changes: readonly SchemaChange[], migrations: readonly Migration[]): Migration[] {
  const done = new Set(changes.filter(({ isDone }) => isDone).map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

/** The version from which on code is served; null: all of it is. @param ofVersion the code */
export function servedFrom(changes: readonly SchemaChange[], ofVersion = VERSION): string | null {
  const from = changes.map(({ servesFrom }) => servesFrom).filter((version) => version !== null);
  const newest = from.toSorted(compareVersions).at(-1);
  return newest !== undefined && compareVersions(ofVersion, newest) < 0 ? newest : null;
}

/** @throws StartupError when this code is too old for the schema */
export function assertServed(changes: readonly SchemaChange[]): void {
  const from = servedFrom(changes);
  if (from !== null) {
    throw new StartupError(
      `The database is newer than this version of Posthorn, ${VERSION}: it serves ${from} and later ones. Run one of these.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
}

/** Makes the table in which migrations are noted. */
export async function makeSchemaChanges(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create table if not exists schema_changes (
      name text primary key,
      -- the oldest version of the code that this change serves; null: all
      serves_from text,
      begun_at timestamptz not null default now(),
      -- null: not at its end
      applied_at timestamptz
    )`);
}

/** From now on older code does not start, whatever becomes of the migration. */
export function noteBegin(client: pg.ClientBase, { name, servesFrom }: Migration): Promise<void> {
  return note(client, name, servesFrom, 'null');
}

/** In the transaction of the migration, if it has one. */
export function noteEnd(client: pg.ClientBase, { name, servesFrom }: Migration): Promise<void> {
  return note(client, name, servesFrom, 'now()');
}

/** What has begun did nothing yet. */
export async function forgetBegin(client: pg.ClientBase, { name }: Migration): Promise<void> {
  await client.query(`delete from schema_changes where name = $1`, [name]);
}

async function note(
  client: pg.ClientBase,
  name: string,
  servesFrom: string | null,
  appliedAt: 'null' | 'now()',
): Promise<void> {
  await client.query(
    `insert into schema_changes (name, serves_from, applied_at) values ($1, $2, ${appliedAt})
     on conflict (name) do update set serves_from = excluded.serves_from, applied_at = excluded.applied_at`,
    [name, servesFrom],
  );
}
