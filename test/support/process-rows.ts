/** Rows of `processes`: what a process of another machine says of itself. */
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { newUuid } from '../../src/model/ids.ts';
import { VERSION } from '../../src/model/version.ts';

export interface ProcessRow {
  id: string;
  host: string;
  role: 'http' | 'imap' | 'worker';
  version: string;
  /** How many it may open. */
  connections: number;
  /** Its clock beside that of the database. */
  clockAheadMs: number;
  /** The age of its last heartbeat, after which no other follows; negative: it lies ahead. */
  silentMs: number;
}

/** Shows a process that does not run, alive unless `silentMs` says otherwise. @returns its id */
export async function showProcess(database: Database, row: Partial<ProcessRow> = {}): Promise<string> {
  const { id = newUuid(), host = 'other', role = 'worker', version = VERSION } = row;
  const { connections = 1, clockAheadMs = 0, silentMs = 0 } = row;
  await database
    .insertInto('processes')
    .values({
      id,
      host,
      name: role,
      roles: [role],
      version,
      connections,
      clockAheadMs,
      heartbeatAt: sql<Date>`now() - ${silentMs} * interval '1 millisecond'`,
    })
    .execute();
  return id;
}
