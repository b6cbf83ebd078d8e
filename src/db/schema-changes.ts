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
/** Code before 0.2.0 has the migrations before this one, looks at the table `migrations`, and starts if it knows all in it. */
const FIRST_IN_SCHEMA_CHANGES = '0010';

export interface SchemaChange {
  name: string;
  servesFrom: string | null;
  isDone: boolean;
}

type Ask = <Row extends object>(statement: string) => Promise<Row[]>;

/**
 * Empty where the database is.
 * @throws StartupError when PostgreSQL is too old
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
  const changes = await ask<SchemaChange>(
    found === 'schema_changes'
      ? `select name, serves_from as "servesFrom", applied_at is not null as "isDone" from schema_changes order by name`
      : `select name, null as "servesFrom", true as "isDone" from migrations order by name`,
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

/** Makes the tables in which migrations are noted. A database of code before 0.2.0 keeps what it noted. */
export async function makeSchemaChanges(client: pg.ClientBase): Promise<void> {
  await client.query(`
    begin;
    create table if not exists migrations (name text primary key, applied_at timestamptz not null default now());
    create table if not exists schema_changes (
      name text primary key,
      -- the oldest version of the code that this change serves; null: all
      serves_from text,
      begun_at timestamptz not null default now(),
      -- null: not at its end
      applied_at timestamptz
    );
    insert into schema_changes (name, begun_at, applied_at)
    select name, applied_at, applied_at from migrations on conflict do nothing;
    commit`);
}

/** From now on older code does not start, whatever becomes of the migration. */
export function noteBegin(client: pg.ClientBase, { name, servesFrom }: Migration): Promise<void> {
  return note(client, name, servesFrom, 'null', true);
}

/** In the transaction of the migration, if it has one. */
export function noteEnd(client: pg.ClientBase, { name, servesFrom }: Migration): Promise<void> {
  return note(client, name, servesFrom, 'now()', servesFrom !== null || name < FIRST_IN_SCHEMA_CHANGES);
}

/** What has begun did nothing yet. */
export async function forgetBegin(client: pg.ClientBase, { name }: Migration): Promise<void> {
  await client.query(
    `with gone as (delete from migrations where name = $1) delete from schema_changes where name = $1`,
    [name],
  );
}

async function note(
  client: pg.ClientBase,
  name: string,
  servesFrom: string | null,
  appliedAt: 'null' | 'now()',
  concernsFirstVersion: boolean,
): Promise<void> {
  await client.query(
    `insert into schema_changes (name, serves_from, applied_at) values ($1, $2, ${appliedAt})
     on conflict (name) do update set serves_from = excluded.serves_from, applied_at = excluded.applied_at`,
    [name, servesFrom],
  );
  if (concernsFirstVersion)
    await client.query(`insert into migrations (name) values ($1) on conflict do nothing`, [name]);
}
