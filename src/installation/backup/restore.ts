/** Restores a backup into an empty database, in one transaction. */
import type pg from 'pg';
import { StartupError } from '../../model/startup-error.ts';
import { BASELINE, withBaseline } from '../../db/baseline.ts';
import { migrate } from '../../db/migrate.ts';
import { type Migration, readMigrations } from '../../db/migration-files.ts';
import { readSchemaChanges } from '../../db/schema-changes.ts';
import { openDatabase, sqlState } from '../../db/database.ts';
import { divideAs } from '../../db/partitions.ts';
import { DamagedBackup } from './damaged-backup.ts';
import { FORMS, listOf, readTables, type Table } from './catalog.ts';
import { isNewer, isTooOld, type TableDigest } from './manifest.ts';
import { type BackupObjects, putBack } from './objects.ts';
import type { OpenedBackup } from './open-backup.ts';
import { DatabaseClient } from '../../db/database-client.ts';
import { type CopyIn, copyIn } from './copy-in.ts';
import { readMembers, type RowConsumer } from './read-members.ts';

export interface RestoreOptions {
  /** The URL of an empty database. */
  url: string;
  backup: OpenedBackup;
  /** The store for large messages and for files that are sent as links. */
  objects: BackupObjects;
  /** Returns rows of `settings` that are stored with the restored data. @param now the time by the clock of the database */
  settings(now: Date): { name: string; value: string }[];
  /** Called after all data is loaded, before the commit. */
  beforeCommit(): void;
  /** Default: the migrations of this version. */
  migrations?: readonly Migration[];
}

/**
 * Loads a backup into an empty database and migrates the database to the schema of this version.
 * @throws StartupError if the database is not empty, or if the backup is not complete. An incomplete backup leaves no rows in the database
 */
export async function restore(options: RestoreOptions): Promise<readonly TableDigest[]> {
  const { url, backup, objects, settings, beforeCommit, migrations = readMigrations() } = options;
  const { header } = backup;
  const applied = withBaseline(header.migrations);
  if (!applied.includes(BASELINE)) throw isTooOld();
  if (applied.some((name) => !migrations.some((known) => known.name === name)))
    throw isNewer(header.posthorn);
  const client = new DatabaseClient({ connectionString: url, application_name: 'posthorn restore' });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
    await assertEmpty(client, applied);
    // Creates the schema that the database had at the time of the backup. Later migrations then change the rows in the same way as during
    // an upgrade of a running service.
    await migrate(url, { migrations: migrations.filter(({ name }) => applied.includes(name)) });
    await dividePartitions(url, header.tables);
    await client.query(`begin; ${FORMS}`);
    await lockEmpty(client, header.tables);
    await switchTriggers(client, header.tables, 'disable');
    const digests = await load(client, backup, objects);
    await switchTriggers(client, header.tables, 'enable');
    await renewUidValidity(client);
    for (const { name, value } of settings(await timeOf(client)))
      await client.query(
        'insert into settings (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
        [name, value],
      );
    beforeCommit();
    await client.query('commit');
    await migrate(url, { migrations });
    // PostgreSQL has no statistics on the new rows until autovacuum runs.
    await client.query('analyze');
    return digests;
  } finally {
    // Closing the connection rolls back an open transaction.
    await client.end().catch(() => {});
  }
}

/**
 * @param migrations the migrations of the backup
 * @throws StartupError if the database has rows, or a schema that is newer than the backup or does not belong to Posthorn
 */
async function assertEmpty(client: pg.Client, migrations: readonly string[]): Promise<void> {
  const tables = await readTables(client);
  if (tables.length === 0) return;
  const changes = await readSchemaChanges(
    async <Row extends object>(statement: string) => (await client.query<Row>(statement)).rows,
  );
  if (changes.length === 0) throw isNotEmpty('the database has tables of other programs');
  await assertNoRows(client, tables);
  if (withBaseline(changes.map(({ name }) => name)).some((name) => !migrations.includes(name)))
    throw isNotEmpty('its schema is later than that of the backup');
}

async function assertNoRows(client: pg.Client, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`select from ${listOf([name])} limit 1`);
    if (rowCount !== 0) throw isNotEmpty(`the table ${name} has rows`);
  }
}

/** Creates the same partitions as in the original database, so that old partitions can later be dropped. */
async function dividePartitions(url: string, tables: readonly Table[]): Promise<void> {
  const database = openDatabase(url, { patient: true, poolSize: 1 });
  try {
    for (const { name, partitions } of tables) {
      if (partitions.length === 0) continue;
      const ends = [null, ...partitions.map(({ until }) => until)];
      if (ends.at(-1) !== null || partitions.some(({ from }, at) => from !== ends[at]))
        throw new DamagedBackup(`the partitions of ${name} have gaps`);
      await divideAs(database, name, partitions);
    }
  } finally {
    await database.destroy();
  }
}

/**
 * Disables or enables triggers. Triggers are disabled while rows are loaded, because the backup already contains the rows that triggers
 * wrote, and triggers would count each message twice.
 */
async function switchTriggers(
  client: pg.Client,
  tables: readonly Table[],
  action: 'disable' | 'enable',
): Promise<void> {
  for (const { name } of tables) await client.query(`alter table ${listOf([name])} ${action} trigger user`);
}

/** Locks all tables, so that a server that starts on this database waits until all data is loaded. */
async function lockEmpty(client: pg.Client, expected: readonly Table[]): Promise<void> {
  const tables = await readTables(client);
  await client.query(`lock table ${listOf(tables.map(({ name }) => name))} in access exclusive mode`);
  await assertNoRows(client, tables);
  for (const { name, columns } of expected) {
    const known = tables.find((table) => table.name === name)?.columns;
    if (known === undefined || columns.some((column) => !known.includes(column)))
      throw new StartupError(
        `The table ${name} of the backup is not a table of Posthorn. Nothing was restored.`,
      );
  }
}

/**
 * Gives all folders a new UIDVALIDITY. Messages received after the backup are lost and their UIDs are assigned again, so mail apps must not
 * mistake new messages for lost messages (RFC 9051, section 2.3.1.1). The new values come from the clock, like those of new folders, so
 * they are also higher than all values that were used after the backup.
 */
async function renewUidValidity(client: pg.Client): Promise<void> {
  await client.query(`
    with numbered as (
      select f.project_id, f.mailbox_id, f.id,
        greatest(s.uid_validity, extract(epoch from clock_timestamp())::bigint)
          + row_number() over (partition by f.project_id, f.mailbox_id order by f.id) as uid_validity
      from folders f join mailbox_states s using (project_id, mailbox_id)
    ), renewed as (
      update folders f set uid_validity = n.uid_validity from numbered n
      where f.project_id = n.project_id and f.mailbox_id = n.mailbox_id and f.id = n.id
    )
    update mailbox_states s set uid_validity = n.highest from (
      select project_id, mailbox_id, max(uid_validity) as highest from numbered group by project_id, mailbox_id
    ) n
    where s.project_id = n.project_id and s.mailbox_id = n.mailbox_id`);
}

async function timeOf(client: pg.Client): Promise<Date> {
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now');
  return rows[0]?.now ?? new Date(NaN);
}

function isNotEmpty(why: string): StartupError {
  return new StartupError(
    `A backup can only be restored into an empty installation, but ${why}. Use another data folder (POSTHORN_DATA), or create a new database. Nothing was changed.`,
  );
}

/**
 * Loads and verifies the rows and objects of the backup. Runs in the caller's transaction, which must not be committed if this function
 * throws.
 * @throws StartupError
 */
function load(
  client: pg.Client,
  backup: OpenedBackup,
  objects: BackupObjects,
): Promise<readonly TableDigest[]> {
  return readMembers(backup, {
    table: (table) => new Loading(client, table),
    object: (name, body) => putBack(objects, name, body),
  });
}

class Loading implements RowConsumer {
  readonly #table: string;
  readonly #copied: CopyIn;

  constructor(client: pg.Client, { name, columns }: Table) {
    this.#table = name;
    this.#copied = copyIn(client, `copy ${listOf([name])} (${listOf(columns)}) from stdin`);
  }

  write(rows: Buffer): Promise<void> {
    return this.#copied.write(rows).catch((error: unknown) => this.#fail(error));
  }

  end(): Promise<number> {
    return this.#copied.end().catch((error: unknown) => this.#fail(error));
  }

  /** Throws an error without the text of PostgreSQL's error, which may quote a value. */
  #fail(error: unknown): never {
    const state = sqlState(error);
    if (state === null) throw error;
    if (/^2[23]/.test(state)) throw new DamagedBackup(`the table ${this.#table} does not accept its rows`);
    throw new StartupError(
      `The table ${this.#table} cannot be loaded: ${(error as Error).message}. Nothing was restored.`,
      { cause: error },
    );
  }
}
