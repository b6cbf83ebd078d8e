import type { SystemProcesses } from '../../contract/dashboard/system.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { TIMINGS } from '../../db/timings.ts';
import { timeOf } from '../../model/ids.ts';
import { VERSION } from '../../model/version.ts';

const MAX_PROCESSES = 1_000;

const RUNNING_PROCESS = columnsOf({
  id: 'uuid',
  host: 'text',
  name: 'text',
  roles: 'text[]',
  version: 'text',
  connections: 'int4',
  clockAheadMs: 'float8',
  heartbeatAt: 'timestamptz',
  isAlive: 'bool',
});

/** Lists the processes of all machines, and those that died or hang within the last day. */
export async function readProcesses(database: Database): Promise<SystemProcesses> {
  const { rows } = await RUNNING_PROCESS.sql`
    select id, host, name, roles, version, connections, clock_ahead_ms, heartbeat_at,
      heartbeat_at > now() - ${TIMINGS.expiryMs} * interval '1 millisecond' as is_alive
    from processes order by is_alive desc, host, name, id limit ${MAX_PROCESSES}`.execute(database);
  return {
    version: VERSION,
    data: rows.map(({ id, host, name, roles, version, connections, ...row }) => ({
      id,
      host,
      name,
      roles,
      version,
      connections,
      // The id contains the time of the start, because it is created when the process starts.
      started_at: timeOf(id).toISOString(),
      heartbeat_at: row.heartbeatAt.toISOString(),
      is_alive: row.isAlive,
      clock_ahead_ms: Math.round(row.clockAheadMs),
    })),
  };
}
