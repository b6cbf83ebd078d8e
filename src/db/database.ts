/**
 * The connection to PostgreSQL: one pool a process, a lane of it for each part, Kysely on top. Every statement is prepared once a connection.
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
  /** The most connections. Default 10. */
  poolSize?: number;
}

/** A pool for one user. @param url a postgres:// URL; a socket directory is written percent-encoded as the host. */
export function openDatabase(
  url: string,
  { poolSize = POOL_SIZE, ...options }: DatabaseOptions = {},
): Database {
  return openLane(new LanePool(url, options), { own: poolSize, max: poolSize, ...options });
}

/** Destroying it leaves the other lanes of the pool open. */
export function openLane(pool: LanePool, options: PoolLaneOptions): Database {
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: pool.open(options) as unknown as PostgresPool }),
    // Names of columns are snake_case, those of properties camelCase.
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  });
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
