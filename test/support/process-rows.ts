/** Inserts rows into the table `processes`, like processes of other machines. */
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { newUuid } from '../../src/model/ids.ts';
import { VERSION } from '../../src/model/version.ts';

export interface ProcessRow {
  id: string;
  host: string;
  /** Default: the role. */
  name: string;
  role: 'http' | 'imap' | 'worker';
  version: string;
  /** The maximum number of connections that the process may open. */
  connections: number;
  /** The time by which the process's clock is ahead of the database's clock. */
  clockAheadMs: number;
  /** The age of the process's last heartbeat. Negative for a heartbeat in the future. */
  silentMs: number;
}

/** Inserts the row of a process that does not exist. By default, the row looks like a running process's row. @returns the process id */
export async function showProcess(database: Database, row: Partial<ProcessRow> = {}): Promise<string> {
  const { id = newUuid(), host = 'other', role = 'worker', version = VERSION } = row;
  const { connections = 1, name = role, clockAheadMs = 0, silentMs = 0 } = row;
  await database
    .insertInto('processes')
    .values({
      id,
      host,
      name,
      roles: [role],
      version,
      connections,
      clockAheadMs,
      heartbeatAt: sql<Date>`now() - ${silentMs} * interval '1 millisecond'`,
    })
    .execute();
  return id;
}
