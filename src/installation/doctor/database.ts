/** Opens the database for the checks. Also checks the database itself. */
import { existsSync } from 'node:fs';
import { sql } from 'kysely';
import type { Config } from '../../app/config.ts';
import { columnsOf } from '../../db/columns.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { describeFault, writeDurably } from '../../db/durable-write.ts';
import { clusterFolder } from '../embedded/cluster.ts';
import { type UsedPostgres, useEmbedded } from '../embedded/use-embedded.ts';
import { isAdoptable, isBeforeBaseline, LAST_BEFORE } from '../../db/baseline.ts';
import { readMigrations } from '../../db/migration-files.ts';
import { missingOf, readSchemaChanges, servedFrom } from '../../db/schema-changes.ts';
import { hasStickySessions, NO_SESSIONS } from '../../db/sessions.ts';
import { VERSION } from '../../model/version.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';
import type { World } from './world.ts';

/** Calls `run` with the configured database. Creates and migrates nothing. If the database cannot be opened, `run` receives the error. */
export async function useDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  run: (database: World['database']) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) return useDatabaseAt(databaseUrl, run);
  if (!existsSync(clusterFolder(dataDir))) return run({ error: `there is no database in ${dataDir}.` });
  let embedded: UsedPostgres;
  try {
    embedded = await useEmbedded(dataDir);
  } catch (error) {
    return run({ error: reasonOf(error) });
  }
  await using used = embedded;
  return await useDatabaseAt(used.url, run);
}

/** Like `useDatabase`, for a known URL. */
export async function useDatabaseAt<T>(
  url: string,
  run: (database: World['database']) => Promise<T>,
): Promise<T> {
  const opened = openDatabase(url);
  try {
    return await run({ opened });
  } finally {
    await opened.destroy();
  }
}

/** The oldest PostgreSQL version that supports all statements. */
const MIN_VERSION = 150_000;

const SERVER = columnsOf({ version: 'int4', name: 'text', encoding: 'text' });

/** Checks that the database responds, has the schema of this program, and accepts writes. */
export async function checkDatabase({ config, database }: World): Promise<Finding> {
  const advice =
    config.databaseUrl === null
      ? 'Start Posthorn once, then run this command as the same user and with the same POSTHORN_DATA.'
      : 'Check that PostgreSQL is running, and that host, port, user and password in POSTHORN_DATABASE_URL are right.';
  if ('error' in database) return problem(`The database cannot be opened: ${database.error}`, advice);
  try {
    const { opened } = database;
    if (config.databaseUrl !== null && !(await hasStickySessions(config.databaseUrl)))
      return problem(NO_SESSIONS.seen, NO_SESSIONS.advice);
    return (await judgeServer(opened)) ?? (await judgeSchema(opened)) ?? (await judgeWrites(opened));
  } catch (error) {
    return problem(`The database does not answer: ${reasonOf(error)}.`, advice);
  }
}

async function judgeServer(database: Database): Promise<Finding | null> {
  const { rows } = await SERVER.sql`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
      current_setting('server_encoding') as encoding`.execute(database);
  const [server] = rows;
  if (server === undefined) return null;
  const { version, name, encoding } = server;
  if (version < MIN_VERSION) {
    return problem(
      `The database is PostgreSQL ${name}, which is too old.`,
      'Upgrade to PostgreSQL 15 or later.',
    );
  }
  return encoding === 'UTF8'
    ? null
    : problem(
        `The encoding of the database is ${encoding}, which cannot store all characters in mail.`,
        "Create another database: create database posthorn encoding 'UTF8' template template0.",
      );
}

/** Tests writing in the same way as /readyz. */
async function judgeWrites(database: Database): Promise<Finding> {
  const advice =
    'Check the log of PostgreSQL. Possible causes are a full disk, a standby, or default_transaction_read_only.';
  try {
    return (await writeDurably(database, () => {}))
      ? ok('The database is reachable, has the expected schema, and accepts writes.')
      : problem('The database is read-only, so no mail is accepted.', advice);
  } catch (error) {
    return problem(`The database does not accept writes: ${describeFault(error)}`, advice);
  }
}

/** @throws StartupError if PostgreSQL is too old */
async function judgeSchema(database: Database): Promise<Finding | null> {
  const changes = await readSchemaChanges(async <Row extends object>(statement: string) => {
    const { rows } = await sql.raw<Row>(statement).execute(database);
    return rows;
  });
  const from = servedFrom(changes);
  if (from !== null) {
    return problem(
      `The database is newer than this program (${VERSION}). The database works only with ${from} and later versions.`,
      `Run Posthorn ${from} or later.`,
    );
  }
  if (isBeforeBaseline(changes) && !isAdoptable(changes)) {
    return problem(
      'The database was created by code before 0.2.0, the first release.',
      `Start commit ${LAST_BEFORE} of Posthorn on it first, then this version.`,
    );
  }
  const missing = missingOf(changes, readMigrations()).find(({ servesFrom }) => servesFrom === null);
  return missing === undefined
    ? null
    : warning(
        `The database is older than this program. The database lacks the migration ${missing.name}.`,
        'Restart Posthorn, which migrates the database when it starts.',
      );
}
