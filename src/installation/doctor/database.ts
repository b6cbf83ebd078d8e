/** The database. */
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
import { keepsSessions, NO_SESSIONS } from '../../db/sessions.ts';
import { VERSION } from '../../model/version.ts';
import { type Finding, ok, problem, reasonOf, warning } from './finding.ts';
import type { World } from './world.ts';

/** Runs with the configured database as it is: nothing is made or migrated. A database that cannot be opened is a value. */
export async function useDatabase<T>(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  run: (database: World['database']) => Promise<T>,
): Promise<T> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) return useDatabaseAt(databaseUrl, run);
  if (!existsSync(clusterFolder(dataDir))) return run({ error: `there is none in ${dataDir}.` });
  let embedded: UsedPostgres;
  try {
    embedded = await useEmbedded(dataDir);
  } catch (error) {
    return run({ error: reasonOf(error) });
  }
  await using used = embedded;
  return await useDatabaseAt(used.url, run);
}

/** The same where it is known where the database is. */
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

/** The oldest version that has all that our statements need. */
const MIN_VERSION = 150_000;

const SERVER = columnsOf({ version: 'int4', name: 'text', encoding: 'text' });

/** Whether the database answers, has the schema of this program, and takes writes. */
export async function checkDatabase({ config, database }: World): Promise<Finding> {
  const advice =
    config.databaseUrl === null
      ? 'Run this as the user who runs Posthorn, with the same POSTHORN_DATA, after Posthorn was started once.'
      : 'See whether PostgreSQL runs, and whether POSTHORN_DATABASE_URL names its host, port, user and password.';
  if ('error' in database) return problem(`The database cannot be opened: ${database.error}`, advice);
  try {
    const { opened } = database;
    if (config.databaseUrl !== null && !(await keepsSessions(config.databaseUrl)))
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
      'Upgrade it to PostgreSQL 15 or later.',
    );
  }
  return encoding === 'UTF8'
    ? null
    : problem(
        `The encoding of the database is ${encoding}: mail has characters that it cannot keep.`,
        "Make another database: create database posthorn encoding 'UTF8' template template0.",
      );
}

/** Writes as /readyz does. */
async function judgeWrites(database: Database): Promise<Finding> {
  const advice = 'See its log: a full disk, a standby, or default_transaction_read_only.';
  try {
    return (await writeDurably(database, () => {}))
      ? ok('The database answers, has the schema of this program, and takes writes.')
      : problem('The database is read-only: no mail is taken.', advice);
  } catch (error) {
    return problem(`The database takes no writes: ${describeFault(error)}`, advice);
  }
}

/** @throws StartupError where PostgreSQL is too old */
async function judgeSchema(database: Database): Promise<Finding | null> {
  const changes = await readSchemaChanges(async <Row extends object>(statement: string) => {
    const { rows } = await sql.raw<Row>(statement).execute(database);
    return rows;
  });
  const from = servedFrom(changes);
  if (from !== null) {
    return problem(
      `The database is newer than this program, ${VERSION}: it serves ${from} and later versions.`,
      'Run one of these.',
    );
  }
  if (isBeforeBaseline(changes) && !isAdoptable(changes)) {
    return problem(
      'The database is of code before 0.2.0, the first release.',
      `Start commit ${LAST_BEFORE} of Posthorn on it first, then this version.`,
    );
  }
  const missing = missingOf(changes, readMigrations()).find(({ servesFrom }) => servesFrom === null);
  return missing === undefined
    ? null
    : warning(
        `The database is older than this program: it lacks the migration ${missing.name}.`,
        'Start Posthorn again: it migrates the database at its start.',
      );
}
