/** The workers of all machines that can claim mail. */
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { TIMINGS as DATABASE_TIMINGS } from '../db/timings.ts';
import { TIMINGS } from './timings.ts';

const WORKERS = columnsOf({ living: 'int4', lastHeartbeat: 'timestamptz?' });

export interface Workers {
  /**
   * The number of processes with a worker that can claim mail: the process and the lease have recent heartbeats, and the lease is open. A
   * lease that is being retired is closed, although it lives until its last delivery.
   */
  living: number;
  /** The newest heartbeat of a lease. Null if every worker ended its lease, or none has ever run. */
  lastHeartbeat: Date | null;
}

export async function readWorkers(database: Database): Promise<Workers> {
  // A lease without a process is of an older version.
  const { rows } = await WORKERS.sql`
    select max(l.heartbeat_at) as last_heartbeat, count(distinct coalesce(l.process_id, l.lease_id)) filter (
      where not l.is_closed and l.heartbeat_at > now() - ${TIMINGS.leaseMs / 2} * interval '1 millisecond'
        and (l.process_id is null or p.heartbeat_at > now() - ${DATABASE_TIMINGS.expiryMs} * interval '1 millisecond')
    )::int as living
    from leases l left join processes p on p.id = l.process_id
    where l.holds = 'recipients'`.execute(database);
  return rows[0] ?? { living: 0, lastHeartbeat: null };
}
