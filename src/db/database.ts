/**
 * The connection to PostgreSQL: one pool a process, Kysely on top. Every statement is prepared once a connection.
 */
import { CamelCasePlugin, Kysely, PostgresDialect, Transaction } from 'kysely';
import pg from 'pg';
import { type PoolName, watchPool } from '../observe/pools.ts';
import type { Tables } from './tables.ts';
import { DatabaseUnavailable } from './connection-budget.ts';
import { DatabaseClient } from './database-client.ts';
import { TIMINGS } from './timings.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

const POOL_SIZE = 10;

const statementNames = new Map<string, string>();

/** Names each statement after its text, so that the server parses and plans it once a connection. */
class PreparingClient extends DatabaseClient {
  // `never` fits all of the overloads that pg gives this method.
  override query(...args: unknown[]): never {
    const [text, values, ...rest] = args;
    const query = super.query.bind(this) as (...args: unknown[]) => unknown;
    if (typeof text !== 'string' || !Array.isArray(values)) return query(...args) as never;
    let name = statementNames.get(text);
    if (name === undefined) {
      name = `s${statementNames.size}`;
      statementNames.set(text, name);
    }
    return query({ name, text, values }, ...rest) as never;
  }
}

/** Gives up a connection on which nothing comes back: a machine that is gone sends no time-out of its own. */
class WatchedClient extends PreparingClient {
  override query(...args: unknown[]): never {
    const result: unknown = super.query(...args);
    if (!(result instanceof Promise)) return result as never;
    const watchdog = setTimeout(() => {
      this.connection.stream.destroy(new Error('Connection terminated: no answer'));
    }, TIMINGS.silenceTimeoutMs);
    return result.finally(() => clearTimeout(watchdog)) as never;
  }
}

export interface DatabaseOptions {
  /** The most connections. Default 10. */
  poolSize?: number;
  /** Shows how busy it is under this name. */
  name?: PoolName;
  /** No statement locks or changes rows: then PostgreSQL may leave out partitions while it runs. */
  readsOnly?: boolean;
  /** A statement that takes longer is ended. Default 30,000. */
  statementTimeoutMs?: number;
  /** Called when a connection that is not in use has ended: the database may be away. */
  onLost?: () => void;
  /** Statements and waits for locks may take as long as they like: at a start, and for commands. */
  patient?: boolean;
}

/** @param url a postgres:// URL; a socket directory is written percent-encoded as the host. */
export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const settings = [
    ...(options.patient === true
      ? []
      : [settingTimeouts(options.statementTimeoutMs ?? TIMINGS.statementTimeoutMs)]),
    options.readsOnly === true ? 'set enable_partition_pruning = on' : WITHOUT_PRUNING,
    ...(options.readsOnly === true || options.patient === true ? [] : [BY_INDEX]),
  ].join('; ');
  const pool = new pg.Pool({
    connectionString: url,
    max: options.poolSize ?? POOL_SIZE,
    connectionTimeoutMillis: TIMINGS.connectTimeoutMs,
    keepAlive: true,
    // Awaited before the first use of a connection. As parameters of the start-up PgBouncer would refuse them.
    onConnect: (client: pg.ClientBase) => client.query(settings),
    application_name: 'posthorn',
    Client: (options.patient === true
      ? PreparingClient
      : WatchedClient) as unknown as new () => pg.ClientBase,
  });
  // A connection lost while idle: the next query opens another one, or reports that the server is away.
  pool.on('error', () => options.onLost?.());
  if (options.name !== undefined) watchPool(options.name, pool);
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    // Names of columns are snake_case, those of properties camelCase.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/**
 * PostgreSQL 18 crashes, with all of its connections, where a statement that finds a row changed by another one looks at it again
 * (EvalPlanQual) and somewhere else leaves out partitions while it runs: both use the same memory. Statements that lock nothing are safe.
 */
const WITHOUT_PRUNING = `select set_config('enable_partition_pruning', 'off', false)
  where current_setting('server_version_num')::int >= 180000`;

/**
 * A queue is empty when PostgreSQL counts its rows, and long a minute later. Until it counts again it would read all of it for each statement,
 * also for those that look for a row by its key. The compiler of expressions would come with each statement that has no index.
 */
const BY_INDEX = 'set enable_seqscan = off; set jit = off';

/** In one round trip. They hold as long as the session does. */
function settingTimeouts(statementTimeoutMs: number): string {
  return Object.entries({
    statement_timeout: statementTimeoutMs,
    lock_timeout: TIMINGS.lockTimeoutMs,
    idle_in_transaction_session_timeout: TIMINGS.idleTransactionTimeoutMs,
  })
    .map(([name, ms]) => `set ${name} = ${ms}`)
    .join('; ');
}

/** Runs in the transaction that there is, or in one of its own. */
export function inTransaction<T>(
  database: Database | DatabaseTransaction,
  work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return database instanceof Transaction ? work(database) : database.transaction().execute(work);
}

/** Classes and codes of SQLSTATE (PostgreSQL, appendix A) that say that the server, not the statement, is at fault. */
const AWAY_SQLSTATES = /^(08...|57P0[1-5]|55P03|53[0-9A-Z]{3}|25006|25P03|XX000|58...)$/;
const AWAY_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EACCES',
]);
const AWAY_MESSAGES =
  /connection terminated|timeout exceeded when trying to connect|connection error|client has encountered/i;

/** Whether the statement was ended because it took longer than its time limit. */
export function hasTimedOut(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/**
 * Whether the same may work later, so that nothing in the statement is to blame: the database is away, or it took too long this
 * time.
 */
export function mayWorkLater(error: unknown): boolean {
  return hasTimedOut(error) || isDatabaseAway(error);
}

/** Whether an error of a query means that the database is away. A statement that took too long is worth a line in the log. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  if (error instanceof DatabaseUnavailable) return true;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string') return AWAY_CODES.has(code) || AWAY_SQLSTATES.test(code);
  return AWAY_MESSAGES.test(error.message);
}

/** The SQLSTATE of a PostgreSQL error, or null. */
export function sqlState(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null;
}

/** Whether a statement was refused because the row that it writes is there already. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}
