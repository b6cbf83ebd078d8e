/** Checks whether the database can store data durably, by writing a little data. */
import { statfs } from 'node:fs/promises';
import { sql } from 'kysely';
import { columnsOf } from './columns.ts';
import { AttemptDeferred } from './connection-budget.ts';
import { type Database, sqlState } from './database.ts';
import { ServerReadOnly } from './database-client.ts';

const WRITTEN = columnsOf({ count: 'int8', writtenAt: 'text?' });

/**
 * Commits about 100 bytes to the write-ahead log and to no table, so nothing needs to be deleted later and no other instance waits for a
 * lock. On a full disk the log may still have space when tables can no longer grow, so 70 kB are also written to a temporary file, which
 * PostgreSQL deletes when the statement ends.
 * @param onConnected called when a connection is available
 * @returns false if transactions are read-only
 * @throws errors of PostgreSQL or the connection
 */
export async function writeDurably(database: Database, onConnected: () => void): Promise<boolean> {
  return database.connection().execute((connection) => {
    onConnected();
    return connection.transaction().execute(async (tx) => {
      // The rows of the next statement need more memory than 64 kB, so PostgreSQL writes them to a temporary file.
      await sql`set local work_mem = '64kB'`.execute(tx);
      // Unlike a table write, `pg_logical_emit_message` works in a read-only transaction too.
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
/** Size of a write-ahead log file, which PostgreSQL allocates completely before writing to the file. */
const LOG_FILE_BYTES = 16 * 1024 * 1024;

/** Describes a database error for any reader. The text names no host, user or value. */
export function describeFault(error: unknown): string {
  if (error instanceof AttemptDeferred) return describeFault(error.cause);
  const state = sqlState(error);
  if (state === '53100') return DISK_FULL;
  if (state === '3D000') return 'The database does not exist.';
  if (state === '25006' || error instanceof ServerReadOnly) return READ_ONLY;
  if (state !== null && !/^(08|53|57)/.test(state))
    return `The database reports an error (SQLSTATE ${state}).`;
  return 'The database cannot be reached.';
}

/**
 * Like `describeFault`, for a database on this machine. If even the write-ahead log has no space, PostgreSQL stops and cannot start until
 * space is freed. The only error is then that the server cannot be reached, so this function checks the free space too.
 * @param dataDir the data directory of the database
 */
export async function describeFaultHere(fault: unknown, dataDir: string): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir).catch(() => ({ bavail: Infinity, bsize: 1 }));
  return bavail * bsize < LOG_FILE_BYTES ? DISK_FULL : describeFault(fault);
}
