/** Takes over a database that ran the migrations which the baseline replaces. */
import type pg from 'pg';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { describeSchema, differencesOf, type SchemaDescription } from './describe-schema.ts';
import { sqlState } from './database.ts';
import type { Migration } from './migration-files.ts';
import { inTransaction } from './run-migration.ts';
import { noteEnd } from './schema-changes.ts';

/** The baseline is made here for a moment, beside the tables of the database. */
const BESIDE = 'posthorn_baseline';
const MAX_NAMED = 10;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Compares the schema with that of a fresh baseline, and notes the baseline in place of the migrations that made it: in one transaction, so a kill changes
 * nothing. What the database serves goes on: the tables of others are only read. Making the baseline in place of storing a description of it costs half a
 * second once, and is right on each version of PostgreSQL, which do not say all definitions in the same words.
 * @throws LockedOut when it is to be tried again
 * @throws StartupError that names the differences
 */
export function adoptBaseline(client: pg.Client, baseline: Migration, lockMs: number): Promise<void> {
  return inTransaction(client, baseline.name, lockMs, async () => {
    // Added without reading the table, as writers would have waited for that.
    await client.query('alter table audit_log validate constraint audit_log_actor_kind_check');
    const is = await describeSchema(client);
    const differences = differencesOf(is, await describeBaseline(client, baseline));
    if (differences.length > 0) throw isDifferent(differences);
    await client.query('delete from schema_changes');
    await noteEnd(client, baseline);
  });
}

/** Leaves nothing behind. */
async function describeBaseline(client: pg.Client, { statements }: Migration): Promise<SchemaDescription> {
  await client.query('savepoint beside');
  await client.query(`create schema ${BESIDE}; set local search_path = ${BESIDE}`).catch(explain);
  for (const statement of statements) await client.query(statement);
  const description = await describeSchema(client);
  await client.query('rollback to savepoint beside');
  return description;
}

function explain(error: unknown): never {
  if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error;
  throw new StartupError(
    'To check the schema of the database, this start makes another schema beside it for a moment, and its role may not. Run "grant create on database <name> to <role>", and start again.',
    { exitCode: BAD_CONFIGURATION, cause: error },
  );
}

function isDifferent(differences: readonly string[]): StartupError {
  const named = differences.slice(0, MAX_NAMED).join('; ');
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : '';
  return new StartupError(
    `The schema of the database is not the one that Posthorn made: ${named}${more}. Nothing was changed. Correct it as in a new database ("pg_dump --schema-only" shows one), then start again.`,
    { exitCode: BAD_CONFIGURATION },
  );
}
