/** Brings a database to the schema of this code: each file of `migrations/` once, in the order of their names. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sqlState } from './database.ts';
import { builtIndex, isConcurrent, type Migration, readMigrations } from './migration-files.ts';
import {
  assertServed,
  forgetBegin,
  makeSchemaChanges,
  missingOf,
  noteBegin,
  noteEnd,
  readSchemaChanges,
  type SchemaChange,
} from './schema-changes.ts';
import { TIMINGS } from './timings.ts';

/** Any number of ours; the lock is per database. Code before 0.2.0 migrates under it too. */
export const MIGRATION_LOCK = 7_678_467;
/** A lock was not to be had in time, or PostgreSQL broke off one of two that waited for each other. */
const TRY_AGAIN = new Set(['55P03', '40P01', '40001']);
const TRIES_PER_WORD = 10;

export type MigrationStep =
  /** Another instance migrates, and this one waits for it. */
  | { kind: 'waits for its turn' }
  | { kind: 'begins'; migration: string }
  /** Others hold locks that it needs. It tries again, and nobody waits behind it meanwhile. */
  | { kind: 'is tried again'; migration: string; reason: string }
  | { kind: 'is done'; migration: string; durationMs: number };

export interface MigrateOptions {
  migrations?: readonly Migration[];
  onStep?: (step: MigrationStep) => void;
}

/**
 * Runs what has not run yet, while this and older code goes on serving. When several instances start at once, one does it
 * and the others wait. What is broken off by a kill goes on at the next call.
 * @returns the names of those that wait until no older code lives (`runContracts`)
 * @throws StartupError when PostgreSQL is too old, or the database does not serve this version any more
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = readMigrations(), onStep = () => {} } = options;
  return withClient(url, async (client) => {
    let changes = await read(client);
    assertServed(changes);
    const isNew = changes.length === 0;
    // A new database has served nobody yet; and there is no way back for what has begun to take something away.
    const mayRun = ({ name, servesFrom }: Migration): boolean =>
      servesFrom === null || isNew || changes.some((change) => change.name === name);
    if (missingOf(changes, migrations).some(mayRun)) {
      await waitForTurn(client, onStep);
      await makeSchemaChanges(client);
      changes = await read(client);
      assertServed(changes);
      const due = missingOf(changes, migrations).filter(mayRun);
      // Of a new database a newcomer would read two lines for each, and nothing waits for it.
      for (const migration of [...due.filter(isExpanding), ...due.filter((each) => !isExpanding(each))])
        await run(client, migration, isNew ? () => {} : onStep);
      changes = await read(client);
    }
    return missingOf(changes, migrations).map(({ name }) => name);
  });
}

/**
 * Runs the migrations that take away what older code needs, unless a process of older code lives or another instance is
 * migrating. From the moment on at which the first of them begins, older code does not start.
 * @param isQuiet whether no process older than a version was seen for long enough
 * @returns whether none is left
 */
export async function runContracts(
  url: string,
  isQuiet: (version: string) => boolean,
  { migrations = readMigrations(), onStep = () => {} }: MigrateOptions = {},
): Promise<boolean> {
  return withClient(url, async (client) => {
    if (missingOf(await read(client), migrations).length === 0) return true;
    if (!(await tryLock(client))) return false;
    for (const migration of missingOf(await read(client), migrations)) {
      const { servesFrom } = migration;
      if (servesFrom === null || !isQuiet(servesFrom) || (await olderLives(client, servesFrom))) return false;
      await noteBegin(client, migration);
      // What came a moment ago did not see that it is not served.
      if (await olderLives(client, servesFrom)) {
        await forgetBegin(client, migration);
        return false;
      }
      await run(client, migration, onStep);
    }
    return true;
  });
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
    keepAlive: true,
    application_name: 'posthorn migrate',
  });
  // The next statement says so.
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    // The lock goes with the session.
    await client.end().catch(() => {});
  }
}

function read(client: pg.Client): Promise<SchemaChange[]> {
  return readSchemaChanges(async <Row extends object>(statement: string) => {
    const { rows } = await client.query<Row>(statement);
    return rows;
  });
}

const isExpanding = ({ servesFrom }: Migration): boolean => servesFrom === null;

async function olderLives(client: pg.Client, version: string): Promise<boolean> {
  const { rows } = await client.query(
    `select from processes where string_to_array(version, '.')::int[] < string_to_array($1, '.')::int[]`,
    [version],
  );
  return rows.length > 0;
}

/**
 * Asks again and again, in place of waiting in the database: who waits there has a snapshot, and an index that another
 * instance builds while others write waits for all of these.
 */
async function waitForTurn(client: pg.Client, onStep: (step: MigrationStep) => void): Promise<void> {
  for (let tries = 1; !(await tryLock(client)); tries++) {
    if (tries === 1) onStep({ kind: 'waits for its turn' });
    await sleep(TIMINGS.migrationPauseMs);
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isOurs: boolean }>(
    `select pg_try_advisory_lock(${MIGRATION_LOCK}) as "isOurs"`,
  );
  return rows[0]?.isOurs === true;
}

async function run(
  client: pg.Client,
  migration: Migration,
  onStep: (step: MigrationStep) => void,
): Promise<void> {
  const { name, runs, statements } = migration;
  const startedAtMs = performance.now();
  onStep({ kind: 'begins', migration: name });
  const again = (step: () => Promise<void>): Promise<void> =>
    untilUnlocked(step, (reason) => onStep({ kind: 'is tried again', migration: name, reason }));
  if (runs === 'together') {
    await again(() => runTogether(client, migration));
  } else {
    for (const statement of statements) await again(() => runAlone(client, statement));
    await again(() => noteEnd(client, migration));
  }
  onStep({ kind: 'is done', migration: name, durationMs: Math.round(performance.now() - startedAtMs) });
}

/**
 * Repeats a step for which others hold locks. What waits for a lock is itself waited for, by all that come after it: so
 * it waits for a moment only, and between two tries there is time for those that it held up.
 */
async function untilUnlocked(step: () => Promise<void>, onRetry: (reason: string) => void): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await step();
    } catch (error) {
      if (!TRY_AGAIN.has(sqlState(error) ?? '')) throw error;
      if (tries % TRIES_PER_WORD === 1) onRetry((error as Error).message);
    }
    await sleep(TIMINGS.migrationPauseMs * Math.min(tries, 10));
  }
}

async function runTogether(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    await setTimeouts(client, TIMINGS.migrationLockMs);
    for (const statements of migration.statements) await client.query(statements);
    await noteEnd(client, migration);
    await client.query('commit');
  } catch (error) {
    // What the connection or PostgreSQL said first is what matters.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function runAlone(client: pg.Client, statement: string): Promise<void> {
  const index = builtIndex(statement);
  // It waits for every transaction that is older, and nobody who reads or writes waits for it.
  await setTimeouts(client, isConcurrent(statement) ? 0 : TIMINGS.migrationLockMs);
  if (index !== null && (await isInvalid(client, index)))
    await client.query(`drop index concurrently if exists ${index}`);
  await client.query(statement);
}

/** Whether an index was left by a statement that was broken off: it is kept up to date, and never used. */
async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  );
  return rows.length > 0;
}

/** To change a large table takes long and is no fault. */
async function setTimeouts(client: pg.Client, lockMs: number): Promise<void> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = ${lockMs}; set client_min_messages = warning;
     set idle_in_transaction_session_timeout = ${TIMINGS.idleTransactionTimeoutMs}`,
  );
}
