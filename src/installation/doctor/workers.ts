/** Checks that workers run, and that no due mail waits for one. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { TIMINGS } from '../../db/timings.ts';
import { readDelay } from '../../queue/due-rows.ts';
import { readPause } from '../../queue/pause.ts';
import { readNotSendingSince } from '../../queue/provider-kind.ts';
import { readWorkers } from '../../queue/workers.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { World } from './world.ts';

const GONE = columnsOf({ name: 'text', host: 'text', heartbeatAt: 'timestamptz' });

const FIX_DATABASE = 'Fix the database first: see the check "database".';
/** Mail that waits for longer than this is a problem. */
const LONG_MS = 15 * 60_000;

const IS_ALIVE = sql`heartbeat_at > now() - ${TIMINGS.expiryMs} * interval '1 millisecond'`;

/** Why no worker has to send mail now. Null: one has to. */
async function reasonForRest(database: Database): Promise<string | null> {
  // Without a provider or during a pause, workers end their leases.
  const isStopped = (await readNotSendingSince(database)) !== null || (await readPause(database)) !== null;
  if (isStopped) return 'Sending is stopped or paused: see the check "sending".';
  const { rows } = await sql`select from processes where ${IS_ALIVE} limit 1`.execute(database);
  return rows.length === 0 ? 'No process of Posthorn is running.' : null;
}

/** Checks that a worker runs on any machine. */
export async function checkWorkers({ database }: World): Promise<Finding> {
  if ('error' in database)
    return problem('The workers cannot be counted without the database.', FIX_DATABASE);
  const rest = await reasonForRest(database.opened);
  if (rest !== null) return ok(rest);
  const { living } = await readWorkers(database.opened);
  if (living > 0) return ok(`${living} ${living === 1 ? 'worker is' : 'workers are'} running.`);
  const { rows: gone } = await GONE.sql`
    select name, host, heartbeat_at from processes where 'worker' = any(roles) and not ${IS_ALIVE}
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
  const rest = await reasonForRest(database.opened);
  if (rest !== null) return ok(rest);
  const delayedSince = await readDelay(database.opened);
  if (delayedSince === null) return ok('No mail waits for a worker for long.');
  const seen = `Mail that was due at ${delayedSince.toISOString()} still waits for a worker.`;
  const advice =
    'See the check "workers". If it is ok, the workers have more mail than they can send: start more of them (docs/operate/high-availability.md).';
  return nowMs() - delayedSince.getTime() > LONG_MS ? problem(seen, advice) : warning(seen, advice);
}
