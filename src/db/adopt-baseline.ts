/** Adopts a database that ran the migrations that the baseline replaces. */
import type pg from 'pg';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { describeSchema, differencesOf, type SchemaDescription } from './describe-schema.ts';
import { sqlState } from './database.ts';
import type { Migration } from './migration-files.ts';
import { inTransaction } from './run-migration.ts';
import { noteEnd } from './schema-changes.ts';

/** Temporary schema in which the baseline is created, so that it can be compared with the database. */
const BESIDE = 'posthorn_baseline';
const MAX_NAMED = 10;
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Compares the schema with the schema of a fresh baseline and records the baseline in place of the migrations that it replaces. Everything
 * happens in one transaction, so a kill changes nothing. Existing tables are only read, so the database stays usable meanwhile. Creating
 * the baseline for the comparison takes half a second, once. The schema cannot be compared with a stored description instead, because
 * versions of PostgreSQL print some definitions differently.
 * @throws LockedOut if the caller should retry
 * @throws StartupError that names the differences
 */
export function adoptBaseline(client: pg.Client, baseline: Migration, lockMs: number): Promise<void> {
  return inTransaction(client, baseline.name, lockMs, async () => {
    // The constraint was added as `not valid`, so that writers did not have to wait while the existing rows were checked.
    await client.query('alter table audit_log validate constraint audit_log_actor_kind_check');
    const is = await describeSchema(client);
    const differences = differencesOf(is, await describeBaseline(client, baseline));
    if (differences.length > 0) throw isDifferent(differences);
    await client.query('delete from schema_changes');
    await noteEnd(client, baseline);
  });
}

/** Creates the baseline in a temporary schema, describes it and rolls back. */
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
    'To check the schema of the database, Posthorn creates a temporary schema in it, but its role has no permission to do so. Run "grant create on database <name> to <role>", then start again.',
    { exitCode: BAD_CONFIGURATION, cause: error },
  );
}

function isDifferent(differences: readonly string[]): StartupError {
  const named = differences.slice(0, MAX_NAMED).join('; ');
  const more = differences.length > MAX_NAMED ? `; and ${differences.length - MAX_NAMED} more` : '';
  return new StartupError(
    `The schema of the database differs from the one that Posthorn created: ${named}${more}. Nothing was changed. Correct it to match a new database ("pg_dump --schema-only" prints its schema), then start again.`,
    { exitCode: BAD_CONFIGURATION },
  );
}
