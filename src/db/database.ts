/**
 * The connection to PostgreSQL: one pool per process, with a lane for each part of the process, and Kysely on top. Every statement is
 * prepared once per connection.
 */
import { CamelCasePlugin, Kysely, PostgresDialect, type PostgresPool, Transaction } from 'kysely';
import pg from 'pg';
import type { LaneLimits } from '../concurrency/lane-slots.ts';
import { DatabaseUnavailable } from './connection-budget.ts';
import { LanePool, type PoolLaneOptions, type PoolOptions } from './lane-pool.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

const POOL_SIZE = 10;

export interface DatabaseOptions extends PoolOptions, Omit<PoolLaneOptions, keyof LaneLimits> {
  /** Maximum number of connections. Default 10. */
  poolSize?: number;
}

/** Opens a pool with a single lane. @param url a postgres:// URL; the directory of a Unix socket is percent-encoded as the host */
export function openDatabase(
  url: string,
  { poolSize = POOL_SIZE, ...options }: DatabaseOptions = {},
): Database {
  return openLane(new LanePool(url, options), { own: poolSize, max: poolSize, ...options });
}

/** Opens a lane as a `Database`. Destroying the `Database` leaves the other lanes of the pool open. */
export function openLane(pool: LanePool, options: PoolLaneOptions): Database {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: pool.open(options) as unknown as PostgresPool }),
    // Column names are snake_case; property names are camelCase.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
}

/** Runs in the given transaction, or in a new one. */
export function inTransaction<T>(
  database: Database | DatabaseTransaction,
  work: (tx: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  return database instanceof Transaction ? work(database) : database.transaction().execute(work);
}

/** SQLSTATE classes and codes (PostgreSQL, appendix A) of errors whose cause is the server and not the statement. */
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

/** Whether the statement was cancelled because of its timeout. */
export function hasTimedOut(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** Whether the same statement may succeed later: the database is unavailable, or the statement timed out. */
export function mayWorkLater(error: unknown): boolean {
  return hasTimedOut(error) || isDatabaseAway(error);
}

/** Whether an error means that the database is unavailable. Statement timeouts are excluded, because they should be logged. */
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

/** Whether a statement failed because the row that it writes already exists. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505';
}
