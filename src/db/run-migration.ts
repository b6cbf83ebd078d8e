import type pg from 'pg';
import { sqlState } from './database.ts';
import { builtIndex, isConcurrent, type Migration } from './migration-files.ts';
import { noteEnd } from './schema-changes.ts';
import { TIMINGS } from './timings.ts';

/** SQLSTATEs of a lock timeout, a deadlock and a serialization failure. */
const MAY_WORK_LATER = new Set(['55P03', '40P01', '40001']);

/** Other sessions hold locks that a migration needs. */
export class LockedOut extends Error {
  readonly migration: string;

  constructor(migration: string, { message }: Error) {
    super(message);
    this.migration = migration;
  }
}

/**
 * Runs a migration and records that it has run. After an error, the work of a migration in a transaction is rolled back. The work of a
 * migration without a transaction stays, and the next call detects it.
 * @param lockMs how long a statement waits for a lock, in milliseconds
 * @throws LockedOut if the caller should retry
 */
export async function runMigration(client: pg.Client, migration: Migration, lockMs: number): Promise<void> {
  if (migration.runs === 'together') {
    await inTransaction(client, migration.name, lockMs, async () => {
      for (const statements of migration.statements) await client.query(statements);
      await noteEnd(client, migration);
    });
    return;
  }
  try {
    for (const statement of migration.statements) await runAlone(client, statement, lockMs);
    await noteEnd(client, migration);
  } catch (error) {
    throw orLockedOut(migration.name, error);
  }
}

/**
 * Does the work of a migration in one transaction.
 * @param lockMs how long a statement waits for a lock, in milliseconds
 * @throws LockedOut if the caller should retry
 */
export async function inTransaction(
  client: pg.Client,
  migration: string,
  lockMs: number,
  work: () => Promise<void>,
): Promise<void> {
  await client.query('begin');
  try {
    await setTimeouts(client, lockMs);
    await work();
    await client.query('commit');
  } catch (error) {
    // An error of the rollback is ignored, because the first error names the cause.
    await client.query('rollback').catch(() => {});
    throw orLockedOut(migration, error);
  }
}

function orLockedOut(migration: string, error: unknown): unknown {
  return MAY_WORK_LATER.has(sqlState(error) ?? '') ? new LockedOut(migration, error as Error) : error;
}

async function runAlone(client: pg.Client, statement: string, lockMs: number): Promise<void> {
  const index = builtIndex(statement);
  // A statement with `concurrently` waits for all older transactions, but blocks no reads or writes, so its wait needs no limit.
  await setTimeouts(client, isConcurrent(statement) ? 0 : lockMs);
  if (index !== null && (await isInvalid(client, index)))
    await client.query(`drop index concurrently if exists ${index}`);
  await client.query(statement);
}

/** Whether an index is invalid because its build was interrupted. PostgreSQL updates such an index but never uses it. */
async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  );
  return rows.length > 0;
}

/** Sets the lock timeout and turns off the statement timeout, because changing a large table may take long. */
async function setTimeouts(client: pg.Client, lockMs: number): Promise<void> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = ${lockMs}; set client_min_messages = warning;
     set idle_in_transaction_session_timeout = ${TIMINGS.idleTransactionTimeoutMs}`,
  );
}
