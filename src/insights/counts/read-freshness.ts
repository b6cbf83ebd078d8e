/** Reads how old the worker's counts of a project are. */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { TIMINGS } from './timings.ts';

const COUNTED = columnsOf({ newest: 'timestamptz?', partial: 'timestamptz?', oldest: 'timestamptz?' });

export interface Freshness {
  /** All emails accepted before this time are counted. Null if nothing has been counted yet. */
  countedAt: Date | null;
  /** All outcomes from before this time are counted, including later ones of older emails, such as opens. Not after `countedAt`. */
  outcomesAt: Date | null;
}

/** @param from the start of the range whose outcomes matter */
export async function readFreshness(database: Database, projectId: string, from: Date): Promise<Freshness> {
  const now = clock.now();
  // A count may lack emails if it was made during its hour, or so soon after it that a transaction with an email was still open.
  const { rows } = await COUNTED.sql`
    with newest as (
      select hour from email_counts where project_id = ${projectId} and metrics_at is not null order by hour desc limit 1
    )
    select (select hour from newest) as newest,
           min(counted_at) filter (
             where hour >= least(${new Date(now.getTime() - 3 * HOUR_MS)}, (select hour from newest))
               and counted_at < hour + interval '1 hour' + ${TIMINGS.recountAfterMs} * interval '1 millisecond'
           ) as partial,
           min(counted_at) filter (where hour >= ${from} and next_at <> 'infinity') as oldest
    from email_counts
    where project_id = ${projectId} and metrics_at is not null
      and hour >= least(${from}, ${new Date(now.getTime() - 3 * HOUR_MS)}, (select hour from newest))`.execute(
    database,
  );
  const { newest = null, partial = null, oldest = null } = rows[0] ?? {};
  const end = newest === null ? new Date(0) : new Date(newest.getTime() + HOUR_MS);
  const hasUncounted = await hasEmailsSince(database, projectId, end);
  if (newest === null && hasUncounted) return { countedAt: null, outcomesAt: null };
  const countedAt = earliest(now, partial, hasUncounted ? end : null);
  return { countedAt, outcomesAt: earliest(countedAt, oldest) };
}

async function hasEmailsSince(database: Database, projectId: string, time: Date): Promise<boolean> {
  const { rows } = await sql`
    select from emails where project_id = ${projectId} and id >= ${firstUuidAt(time)} order by id limit 1`.execute(
    database,
  );
  return rows.length > 0;
}

function earliest(time: Date, ...others: (Date | null)[]): Date {
  return others.reduce<Date>((first, other) => (other !== null && other < first ? other : first), time);
}
