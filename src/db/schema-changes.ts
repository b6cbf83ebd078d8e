/**
 * Reads and writes the table `schema_changes`. It has a row for each migration that has run, and for each migration that has begun to
 * remove schema that only older code needs.
 */
import type pg from 'pg';
import { compareVersions, VERSION } from '../model/version.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { isAdoptable, isBeforeBaseline, isTooOld } from './baseline.ts';
import type { Migration } from './migration-files.ts';

const OLDEST_MAJOR_VERSION = 15;

export interface SchemaChange {
  name: string;
  servesFrom: string | null;
  isDone: boolean;
}

type RunQuery = <Row extends object>(statement: string) => Promise<Row[]>;

/**
 * Reads the recorded migrations. The result is empty for an empty database.
 * @throws StartupError if PostgreSQL is too old, or the database was created by code that did not have the table yet
 */
export async function readSchemaChanges(query: RunQuery): Promise<SchemaChange[]> {
  const [server] = await query<{ version: number; isRecorded: boolean; hasEmails: boolean }>(`
    select current_setting('server_version_num')::int as version, to_regclass('schema_changes') is not null as "isRecorded",
      to_regclass('email_contents') is not null as "hasEmails"`);
  const { version, isRecorded, hasEmails } = server ?? { version: 0, isRecorded: false, hasEmails: false };
  const majorVersion = Math.floor(version / 10_000);
  if (majorVersion < OLDEST_MAJOR_VERSION) {
    throw new StartupError(
      `The database is PostgreSQL ${majorVersion}. Posthorn needs ${OLDEST_MAJOR_VERSION} or later.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
  if (!isRecorded && hasEmails) throw isTooOld();
  if (!isRecorded) return [];
  return query<SchemaChange>(
    `select name, serves_from as "servesFrom", applied_at is not null as "isDone" from schema_changes order by name`,
  );
}

/**
 * Rejects a database with a different history. Newer code adds migrations whose names sort after all names in `ours`, and older code may
 * keep running while newer code runs (decision 36). An unknown name that sorts between names in `ours` comes from a different history.
 * @param changes migrations recorded in the database
 * @param ours the names of this code's migrations
 * @throws StartupError if the database has a migration that this code cannot know, or lacks a migration from before the baseline
 */
export function assertKnown(changes: readonly SchemaChange[], ours: readonly string[]): void {
  if (isBeforeBaseline(changes)) {
    if (!isAdoptable(changes)) throw isTooOld();
    return;
  }
  const newest = ours.toSorted().at(-1) ?? '';
  const unknown = changes.find(({ name }) => name <= newest && !ours.includes(name));
  if (unknown !== undefined) {
    throw new StartupError(
      `The database has the migration ${unknown.name}, which this version of Posthorn does not know. Run the version that applied it, or a later one.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
}

export function missingOf(changes: readonly SchemaChange[], migrations: readonly Migration[]): Migration[] {
  const done = new Set(changes.filter(({ isDone }) => isDone).map(({ name }) => name));
  return migrations.filter(({ name }) => !done.has(name));
}

/**
 * Returns the oldest version that the database supports, if `ofVersion` is older than that. Null if the database supports `ofVersion`.
 * @param ofVersion the version of the code
 */
export function servedFrom(changes: readonly SchemaChange[], ofVersion = VERSION): string | null {
  const from = changes.map(({ servesFrom }) => servesFrom).filter((version) => version !== null);
  const newest = from.toSorted(compareVersions).at(-1);
  return newest !== undefined && compareVersions(ofVersion, newest) < 0 ? newest : null;
}

/** @throws StartupError if this code is too old for the schema */
export function assertServed(changes: readonly SchemaChange[]): void {
  const from = servedFrom(changes);
  if (from !== null) {
    throw new StartupError(
      `The database is newer than this version of Posthorn, ${VERSION}: it supports ${from} and later versions. Run one of these.`,
      { exitCode: BAD_CONFIGURATION },
    );
  }
}

/** Creates the table in which migrations are recorded. */
export async function makeSchemaChanges(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create table if not exists schema_changes (
      name text primary key,
      -- the oldest version of the code that still works; null: all
      serves_from text,
      begun_at timestamptz not null default now(),
      -- null: not finished
      applied_at timestamptz
    )`);
}

/** Records that a migration begins. After this, older code does not start, even if the migration fails. */
export function noteBegin(client: pg.ClientBase, { name, servesFrom }: Migration): Promise<void> {
  return note(client, name, servesFrom, 'null');
}

/** Records that a migration has run. Must be called in the migration's transaction, if the migration has one. */
export function noteEnd(client: pg.ClientBase, { name, servesFrom }: Migration): Promise<void> {
  return note(client, name, servesFrom, 'now()');
}

/** Removes the record of a migration that was recorded as begun but has changed nothing. */
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
