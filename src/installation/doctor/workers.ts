/** Checks that workers run, and that no due mail waits for one. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import { TIMINGS } from '../../db/timings.ts';
import { readDelay } from '../../queue/due-rows.ts';
import { readWorkers } from '../../queue/workers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const PROCESSES = columnsOf({ living: 'int4' });
const GONE = columnsOf({ name: 'text', host: 'text', heartbeatAt: 'timestamptz' });

const FIX_DATABASE = 'Fix the database first: see the check "database".';
/** Mail that waits for longer than this is a problem. */
const LONG_MS = 15 * 60_000;

/** Checks that a worker runs on any machine. */
export async function checkWorkers({ database }: World): Promise<Finding> {
  if ('error' in database)
    return problem('The workers cannot be counted without the database.', FIX_DATABASE);
  const isAlive = sql`heartbeat_at > now() - ${TIMINGS.expiryMs} * interval '1 millisecond'`;
  const { living } = await readWorkers(database.opened);
  if (living > 0) return ok(`${living} ${living === 1 ? 'worker is' : 'workers are'} running.`);
  const { rows: processes } = await PROCESSES.sql`
    select count(*)::int as living from processes where ${isAlive}`.execute(database.opened);
  if (processes[0]?.living === 0) return ok('No process of Posthorn is running.');
  const { rows: gone } = await GONE.sql`
    select name, host, heartbeat_at from processes where 'worker' = any(roles) and not ${isAlive}
    order by heartbeat_at desc limit 1`.execute(database.opened);
  const [last] = gone;
  return problem(
    last === undefined
      ? 'No worker is running, so no mail is sent.'
      : `No worker is running, so no mail is sent. ${last.name} on ${last.host} has not responded since ${last.heartbeatAt.toISOString()}.`,
    'Start an instance whose POSTHORN_ROLES include worker, or restart the instance whose worker does not respond.',
  );
}

/** Checks that workers are fast enough for the mail of all projects. */
export async function checkQueue({ database, nowMs }: World): Promise<Finding> {
  if ('error' in database) return problem('The queue cannot be read without the database.', FIX_DATABASE);
  const delayedSince = await readDelay(database.opened);
  if (delayedSince === null) return ok('No mail waits for a worker for long.');
  const seen = `Mail that was due at ${delayedSince.toISOString()} still waits for a worker.`;
  const advice =
    'See the checks "workers" and "sending". If both are ok, the workers have more mail than they can send: start more of them (docs/operate/high-availability.md).';
  return nowMs() - delayedSince.getTime() > LONG_MS ? problem(seen, advice) : warning(seen, advice);
}
