/** Makes a backup of all tables as of one moment, while other processes continue to write. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import { VERSION } from '../../model/version.ts';
import { StartupError } from '../../model/startup-error.ts';
import { MIGRATION_LOCK } from '../../db/migrate.ts';
import { OBJECT_LOCK } from '../../db/object-lock.ts';
import { isAdoptable, isBeforeBaseline, isTooOld } from '../../db/baseline.ts';
import { readSchemaChanges } from '../../db/schema-changes.ts';
import { FORMS, listOf, readTables, type Table } from './catalog.ts';
import { copyOut } from './copy-out.ts';
import {
  DIGESTS,
  digestOf,
  HEADER,
  type ObjectsDigest,
  SECRET,
  type TableDigest,
  writeDigests,
  writeHeader,
} from './manifest.ts';
import { type BackupObjects, objectsOf, ObjectsTally } from './objects.ts';
import { type TarMember, packTar } from './tar.ts';
import { DatabaseClient } from '../../db/database-client.ts';

export interface BackedUp {
  /** The time of the snapshot, by the clock of the database. */
  madeAt: string;
  tables: readonly TableDigest[];
  /** The number of objects: large messages, and files that are sent as links. */
  objects: number;
}

/**
 * Yields the uncompressed bytes of a backup of everything that was committed when the backup began. The backup blocks only schema changes.
 * Rows deleted in the meantime stay on the disk until the backup ends.
 * @param secret the secret to include in the backup; null to include no secret
 * @param objects the store of large messages and of files that are sent as links
 * @param onEnd called once everything has been read
 * @throws StartupError if Posthorn was never started on the database, or if the database is being migrated or is older than the baseline
 */
export async function* backUp(
  url: string,
  secret: string | null,
  objects: BackupObjects,
  onEnd: (done: BackedUp) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const client = new DatabaseClient({ connectionString: url, application_name: 'posthorn backup' });
  client.on('error', () => {});
  try {
    await client.connect();
    await beginSnapshot(client);
    const tables = await readTables(client);
    const { made_at, ...described } = await describe(client);
    const includes = ['tables', ...(secret === null ? [] : ['secret']), 'objects'];
    const tally = new ObjectsTally();
    const header = writeHeader({ posthorn: VERSION, made_at, ...described, includes, tables });
    const digests: TableDigest[] = [];
    let objectsDigest: ObjectsDigest | undefined;
    async function* members(): AsyncGenerator<TarMember, void, undefined> {
      yield { name: HEADER, body: header };
      if (secret !== null) yield { name: SECRET, body: Buffer.from(`${secret}\n`) };
      for (const table of tables) yield* rowsOf(client, table, digests);
      for await (const member of objectsOf(client, objects)) {
        tally.add(member);
        yield member;
      }
      objectsDigest = tally.digest();
      yield {
        name: DIGESTS,
        body: writeDigests({ header_sha256: digestOf(header), tables: digests, objects: objectsDigest }),
      };
    }
    yield* packTar(members(), Math.floor(Date.parse(made_at) / 1_000));
    onEnd({ madeAt: made_at, tables: digests, objects: objectsDigest?.count ?? 0 });
  } finally {
    // Closes the connection without the final message, because the server is still sending rows if the reader stopped early.
    client.connection.stream.destroy();
  }
}

/** Takes the snapshot for all further reads and locks the tables against schema changes until the end. */
async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0');
  const { is_quiet } = await one<{ is_quiet: boolean }>(
    client,
    `select pg_try_advisory_lock_shared(${MIGRATION_LOCK}) as is_quiet`,
  );
  if (!is_quiet)
    throw new StartupError(
      'The database is being migrated. Make the backup after the migration has finished.',
    );
  // The lock is taken before the snapshot and held until this connection ends.
  await client.query(`select pg_advisory_lock_shared(${OBJECT_LOCK})`);
  const tables = await readTables(client);
  if (!tables.some(({ name }) => name === 'settings'))
    throw new StartupError('There is nothing to back up: Posthorn has not been started on this database.');
  await client.query('begin transaction isolation level repeatable read, read only');
  await client.query(FORMS);
  // The locks come first, because the first statement after them takes the snapshot.
  await client.query(`lock table ${listOf(tables.map(({ name }) => name))} in access share mode`);
}

async function describe(client: pg.Client) {
  const changes = await readSchemaChanges(
    async <Row extends object>(statement: string) => (await client.query<Row>(statement)).rows,
  );
  // Do not back up a database whose backup this version could not restore.
  if (isBeforeBaseline(changes) && !isAdoptable(changes)) throw isTooOld();
  const described = await one<{ made_at: string; postgresql: string; secret_check: string | null }>(
    client,
    `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as made_at,
      current_setting('server_version') as postgresql,
      (select value from settings where name = 'secret_check') as secret_check`,
  );
  return { ...described, migrations: changes.filter(({ isDone }) => isDone).map(({ name }) => name) };
}

async function* rowsOf(
  client: pg.Client,
  { name, columns }: Table,
  digests: TableDigest[],
): AsyncGenerator<TarMember, void, undefined> {
  // COPY gets a query, because it cannot read a partitioned table directly.
  const copied = copyOut(client, `copy (select ${listOf(columns)} from ${listOf([name])}) to stdout`);
  const sha256 = createHash('sha256');
  let bytes = 0;
  let members = 0;
  for await (const body of copied) {
    sha256.update(body);
    bytes += body.length;
    members += 1;
    yield { name: `tables/${name}/${String(members).padStart(8, '0')}`, body };
  }
  digests.push({ name, rows: copied.rows, bytes, sha256: sha256.digest('hex') });
}

async function one<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row> {
  const { rows } = await client.query<Row>(text);
  return rows[0] as Row;
}
