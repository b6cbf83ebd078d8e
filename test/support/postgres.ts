/**
 * Databases for tests. Each database is a copy of a migrated template, on one server for the whole run. `test/run.ts` sets
 * `TEST_DATABASE_URL` to the URL of that server. Without the variable, the test file starts its own server.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Selectable } from 'kysely';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/installation/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { readMigrations } from '../../src/db/migration-files.ts';
import { checkSecret, type Sealer } from '../../src/db/seal.ts';
import type { Tables } from '../../src/db/tables.ts';
import { checkResults } from './checked-results.ts';

checkResults();

/** The secret with which test databases are sealed. */
export const SECRET = 'secret of the tests';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly database: Database;
}

export interface TestServer {
  /** The postgres:// URL of the server, with a superuser. */
  readonly url: string;
  /** Synchronously stops the server and removes its data. */
  stopNow(): void;
}

let server: Promise<string> | undefined;
let template: Promise<string> | undefined;
/** The sealer of `SECRET`, and the sealed settings of a database. */
let sealed: Promise<{ sealer: Sealer; settings: Selectable<Tables['settings']>[] }> | undefined;

/** A new database with the current schema, dropped when disposed of: `await using db = await testDatabase();` */
export async function testDatabase(): Promise<TestDatabase> {
  server ??= findServer();
  const serverUrl = await server;
  template ??= ensureTemplate(serverUrl);
  return databaseFrom(serverUrl, await template);
}

/** A new database without tables. */
export async function emptyDatabase(): Promise<TestDatabase> {
  server ??= findServer();
  return databaseFrom(await server, `template0 encoding 'UTF8'`);
}

async function databaseFrom(serverUrl: string, from: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await administer(serverUrl, (client) =>
    client.query(`create database ${name} template ${from} strategy file_copy`),
  );
  const url = withDatabase(serverUrl, name);
  const database = openDatabase(url);
  return {
    url,
    database,
    async [Symbol.asyncDispose]() {
      await database.destroy();
      await administer(serverUrl, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

/** A new database in which secrets can be stored. */
export async function sealedDatabase(): Promise<TestDatabase & { sealer: Sealer }> {
  const db = await testDatabase();
  if (sealed === undefined) {
    sealed = seal(db.database);
    await sealed;
  } else {
    const { settings } = await sealed;
    await db.database.insertInto('settings').values(settings).execute();
  }
  return { ...db, sealer: (await sealed).sealer };
}

/** Makes the sealer and the sealed settings. Called only once per process, because deriving the key takes longer than most tests. */
async function seal(database: Database) {
  const sealer = await checkSecret(database, SECRET);
  return { sealer, settings: await database.selectFrom('settings').selectAll().execute() };
}

/** Starts an embedded PostgreSQL in a temporary folder, without durability. */
export async function startTestServer(): Promise<TestServer> {
  const dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'posthorn-test-')));
  const postgres = await startEmbedded(dataDir, {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    max_wal_size: '512MB',
  });
  return { url: postgres.url, stopNow: () => stopNow(postgres, dataDir) };
}

function stopNow(postgres: EmbeddedPostgres, dataDir: string): void {
  void postgres.stop('immediate');
  const neverChanges = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < 400 && existsSync(join(dataDir, 'postgres/postmaster.pid')); waited++) {
    Atomics.wait(neverChanges, 0, 0, 5);
  }
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
}

async function findServer(): Promise<string> {
  const named = process.env.TEST_DATABASE_URL;
  if (named !== undefined && named !== '') return named;
  const own = await startTestServer();
  process.once('exit', own.stopNow);
  return own.url;
}

/** Creates the template if it is missing. Its name contains a hash of the migrations, so that no run uses an outdated template. */
async function ensureTemplate(serverUrl: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(readMigrations())).digest('hex').slice(0, 16);
  const name = `template_${hash}`;
  await administer(serverUrl, async (client) => {
    // Take a lock, because several test files may start at once.
    await client.query('select pg_advisory_lock(1)');
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount !== 0) return;
    await client.query(`drop database if exists ${name}_unfinished`);
    await client.query(`create database ${name}_unfinished encoding 'UTF8' template template0`);
    await migrate(withDatabase(serverUrl, `${name}_unfinished`));
    await client.query(`alter database ${name}_unfinished rename to ${name}`);
  });
  return name;
}

async function administer<T>(serverUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
