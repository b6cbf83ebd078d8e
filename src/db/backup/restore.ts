/** Restoring a backup into an empty database: all of it in one transaction, or none. */
import pg from 'pg';
import { StartupError } from '../embedded/startup-error.ts';
import { migrate } from '../migrate.ts';
import { readMigrations } from '../migration-files.ts';
import { readSchemaChanges } from '../schema-changes.ts';
import { openDatabase } from '../database.ts';
import { divideAs } from '../partitions.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { FORMS, listOf, readTables, type Table } from './catalog.ts';
import { load } from './loading.ts';
import { isNewer, type TableDigest } from './manifest.ts';
import type { OpenedBackup } from './open-backup.ts';

export interface RestoreOptions {
  /** Of an empty database. */
  url: string;
  backup: OpenedBackup;
  /** What holds from the first moment on. @param now by the clock of the database */
  settings(now: Date): { name: string; value: string }[];
  /** Called when all is loaded and nothing committed. */
  beforeCommit(): void;
}

/**
 * Loads a backup into an empty database, and brings it to the schema of this code.
 * @throws StartupError when the database is not empty, or the backup is not whole: then no row is in it
 */
export async function restore(options: RestoreOptions): Promise<readonly TableDigest[]> {
  const { url, backup, settings, beforeCommit } = options;
  const { header } = backup;
  const migrations = readMigrations();
  if (header.migrations.some((name) => !migrations.some((known) => known.name === name)))
    throw isNewer(header.posthorn);
  const client = new pg.Client({ connectionString: url, application_name: 'posthorn restore' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
    await refuseUnlessEmpty(client, header.migrations);
    // The schema that it was made from. Later migrations then change its rows as they change those of a running service.
    await migrate(url, { migrations: migrations.filter(({ name }) => header.migrations.includes(name)) });
    await dividePartitions(url, header.tables);
    await client.query(`begin; ${FORMS}`);
    await lockEmpty(client, header.tables);
    const digests = await load(client, backup);
    for (const { name, value } of settings(await timeOf(client)))
      await client.query(
        'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
        [name, value],
      );
    beforeCommit();
    await client.query('commit');
    await migrate(url);
    // Until it looks by itself, PostgreSQL knows nothing of the rows.
    await client.query('analyze');
    return digests;
  } finally {
    // What was not committed goes with the connection.
    await client.end().catch(() => {});
  }
}

/** @param migrations of the backup */
async function refuseUnlessEmpty(client: pg.Client, migrations: readonly string[]): Promise<void> {
  const tables = await readTables(client);
  if (tables.length === 0) return;
  const changes = await readSchemaChanges(
    async <Row extends object>(statement: string) => (await client.query<Row>(statement)).rows,
  );
  if (changes.length === 0) throw isNotEmpty('it has tables that are not of Posthorn');
  await refuseRows(client, tables);
  if (changes.some(({ name }) => !migrations.includes(name)))
    throw isNotEmpty('a later version than that of the backup has made its tables there');
}

async function refuseRows(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`select from ${listOf([name])} limit 1`);
    if (rowCount !== 0) throw isNotEmpty(`the table ${name} has rows`);
  }
}

/** What is old can then be dropped when its time comes, as where it came from. */
async function dividePartitions(url: string, tables: readonly Table[]): Promise<void> {
  const database = openDatabase(url, { patient: true, poolSize: 1 });
  try {
    for (const { name, partitions } of tables) {
      if (partitions.length === 0) continue;
      const ends = [null, ...partitions.map(({ until }) => until)];
      if (ends.at(-1) !== null || partitions.some(({ from }, at) => from !== ends[at]))
        throw new DamagedBackup(`the partitions of ${name} leave something out`);
      await divideAs(database, name, partitions);
    }
  } finally {
    await database.destroy();
  }
}

/** Whoever starts on this database now waits until everything is there. */
async function lockEmpty(client: pg.Client, expected: readonly Table[]): Promise<void> {
  const tables = await readTables(client);
  await client.query(`lock table ${listOf(tables.map(({ name }) => name))} in access exclusive mode`);
  await refuseRows(client, tables);
  for (const { name, columns } of expected) {
    const found = tables.find((table) => table.name === name)?.columns;
    if (found === undefined || columns.some((column) => !found.includes(column)))
      throw new StartupError(
        `The table ${name} of the backup is not one that Posthorn makes. Nothing was restored.`,
      );
  }
}

async function timeOf(client: pg.Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now ?? new Date(NaN);
}

function isNotEmpty(why: string): StartupError {
  return new StartupError(
    `A backup is restored into an empty place only, and ${why}. Use another data folder (POSTHORN_DATA), or make a new database. Nothing was changed.`,
  );
}
