import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { readMigrations } from '../../db/migrate.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { reasonOf } from './run-checks.ts';
import type { World } from './world.ts';

/** Whether the database answers, and has the schema of this program. */
export async function checkDatabase({ config, database }: World): Promise<Finding> {
  const advice =
    config.databaseUrl === null
      ? 'Run this as the user who runs Posthorn, with the same POSTHORN_DATA, after Posthorn was started once.'
      : 'See whether PostgreSQL runs, and whether POSTHORN_DATABASE_URL names its host, port, user and password.';
  if ('error' in database) return problem(`The database cannot be opened: ${database.error}`, advice);
  try {
    return judge(await readDone(database.opened));
  } catch (error) {
    return problem(`The database does not answer: ${reasonOf(error)}.`, advice);
  }
}

/** Names of the migrations that have run; none where the database is empty. */
async function readDone(database: Database): Promise<string[]> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('migrations') is not null as is_there`.execute(database);
  if (rows[0]?.isThere !== true) return [];
  const done = await sql<{ name: string }>`select name from migrations order by name`.execute(database);
  return done.rows.map(({ name }) => name);
}

function judge(done: readonly string[]): Finding {
  const known = readMigrations().map(({ name }) => name);
  const unknown = done.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return problem(
      `The database is newer than this program: it has the migration ${unknown}.`,
      'Run the version that made it, or a later one.',
    );
  }
  const missing = known.find((name) => !done.includes(name));
  return missing === undefined
    ? ok('The database answers, and has the schema of this program.')
    : warning(
        `The database is older than this program: it lacks the migration ${missing}.`,
        'Start Posthorn again: it migrates the database at its start.',
      );
}
