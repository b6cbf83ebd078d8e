/** Checks that PostgreSQL has enough connections and locks for all processes. */
import { columnsOf, type RowOf } from '../../db/columns.ts';
import { TIMINGS } from '../../db/timings.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const CONNECTIONS = columnsOf({
  /** The number of connections that PostgreSQL has for users that are not superusers. */
  available: 'int4',
  processes: 'int4',
  machines: 'int4',
  /** The number of connections that all running processes may open. */
  required: 'int4',
});
const LOCKS = columnsOf({ locks: 'int4', partitions: 'int4' });
const CAPACITY = columnsOf({ ...CONNECTIONS.kinds, ...LOCKS.kinds });

/**
 * With fewer locks per transaction than this and more partitions than `MANY_PARTITIONS`, statements fail under load with `out of shared
 * memory` (53200).
 */
const FEWEST_LOCKS = 128;
const MANY_PARTITIONS = 20;

/** The largest share of the connections that servers should use. The rest is for the doctor, other commands and backups. */
const MAX_SHARE = 0.9;

/**
 * Checks that `max_connections` is enough for the connections that the running processes on all machines may open, and that
 * `max_locks_per_transaction` is enough for the number of partitions.
 */
export async function checkConnections({ database }: World): Promise<Finding> {
  const advice = 'Fix the database first: see the check "database".';
  if ('error' in database) return problem('The connections cannot be counted without the database.', advice);
  const { rows } = await CAPACITY.sql`
    select current_setting('max_locks_per_transaction')::int as locks,
      (select count(*)::int from pg_inherits where inhparent = to_regclass('emails')) as partitions,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as available,
      count(*)::int as processes, count(distinct host)::int as machines, coalesce(sum(connections), 0)::int as required
    from processes where heartbeat_at >= now() - ${TIMINGS.expiryMs} * interval '1 millisecond'`.execute(
    database.opened,
  );
  if (rows[0] === undefined) return problem('PostgreSQL does not report its connections.', advice);
  const finding = judge(rows[0]);
  return finding.verdict === 'ok' ? (judgeLocks(rows[0]) ?? finding) : finding;
}

/** @returns null if there are enough locks */
export function judgeLocks({ locks, partitions }: RowOf<typeof LOCKS>): Finding | null {
  if (locks >= FEWEST_LOCKS || partitions <= MANY_PARTITIONS) return null;
  return warning(
    `PostgreSQL has ${locks} locks per connection, but emails are stored in ${partitions} partitions, and one statement may lock all of them.`,
    'Set max_locks_per_transaction of PostgreSQL to 256 and restart it: docs/operate/postgresql.md.',
  );
}

function judge({ available, processes, machines, required }: RowOf<typeof CONNECTIONS>): Finding {
  if (processes === 0)
    return ok(`No process of Posthorn is running. PostgreSQL allows ${available} connections.`);
  const seen = `The running processes (${processes} on ${machines} ${machines === 1 ? 'machine' : 'machines'}) can open ${required} connections in total, and PostgreSQL allows ${available}.`;
  const raise =
    'Raise max_connections of PostgreSQL, or lower POSTHORN_DB_CONNECTIONS: docs/operate/postgresql.md.';
  if (required > available) return problem(seen, raise);
  return required > available * MAX_SHARE ? warning(seen, raise) : ok(seen);
}
