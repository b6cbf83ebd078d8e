/** Whether the database makes a write durable, asked of the database itself. */
import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import { columnsOf } from './columns.ts';
import { AttemptDeferred } from './connection-budget.ts';
import { type Database, sqlState } from './database.ts';
import { ServerReadOnly } from './database-client.ts';

const WRITTEN = columnsOf({ count: 'int8', writtenAt: 'text?' });

/**
 * Commits some 100 bytes to the write-ahead log and to no table: nothing is left to clean up, and there is no lock that
 * another instance could wait for. On a full disk the log may still have space when tables can no longer grow, so 70 kB
 * more go to a temporary file, which ends with its statement.
 * @param onConnected a connection was free
 * @returns false: transactions are read-only
 * @throws what PostgreSQL or the connection says
 */
export async function writeDurably(database: Database, onConnected: () => void): Promise<boolean> {
  return database.connection().execute((connection) => {
    onConnected();
    return connection.transaction().execute(async (tx) => {
      // Less than the rows of the next statement take: they go to the disk.
      await sql`set local work_mem = '64kB'`.execute(tx);
      // The log may be written to in read-only transactions, too.
      const { rows } = await WRITTEN.sql`
        select (select count(*) from generate_series(1, 5000)),
          case when current_setting('transaction_read_only')::boolean then null
          else pg_logical_emit_message(true, 'posthorn', '')::text end as written_at`.execute(tx);
      return typeof rows[0]?.writtenAt === 'string';
    });
  });
}

const DISK_FULL = "The database's disk is full.";
const READ_ONLY = 'The database is read-only.';
/** A file of the write-ahead log, which PostgreSQL makes whole before it writes to it. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;

/** What is wrong with the database, for anybody: no host, user or value is named. */
export function describeFault(error: unknown): string {
  if (error instanceof AttemptDeferred) return describeFault(error.cause);
  const state = sqlState(error);
  if (state === '53100') return DISK_FULL;
  if (state === '3D000') return 'The database does not exist.';
  if (state === '25006' || error instanceof ServerReadOnly) return READ_ONLY;
  if (state !== null && !/^(08|53|57)/.test(state)) return `The database does not work (SQLSTATE ${state}).`;
  return 'The database cannot be reached.';
}

/**
 * As `describeFault`, for a database on this machine. When not even its log finds space, PostgreSQL ends, and does not start
 * again before there is some: all that can be seen then is that it cannot be reached.
 * @param dataDir where it keeps its files
 */
export async function describeFaultHere(fault: unknown, dataDir: string): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir).catch(() => ({ bavail: Infinity, bsize: 1 }));
  return bavail * bsize < LOG_FILE_BYTES ? DISK_FULL : describeFault(fault);
}
