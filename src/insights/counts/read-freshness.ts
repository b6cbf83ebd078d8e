/** Reads how old the worker's counts of a project are. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { TIMINGS } from './timings.ts';
import { hasEmails } from './write-metrics.ts';

/** An older hour than this has been counted after its end, unless it is the newest one. */
const RECENT_MS = 3 * HOUR_MS;

const COUNTED = columnsOf({ newest: 'timestamptz?', partial: 'timestamptz?', oldest: 'timestamptz?' });

export interface Freshness {
  /** All emails accepted before this time are counted. Null if there are emails, but no counts yet. */
  countedAt: Date | null;
  /** All outcomes from before this time are counted, including later ones of older emails, such as opens. Not after `countedAt`. */
  outcomesAt: Date | null;
}

interface CountedRange {
  projectId: string;
  /** Full hours. */
  from: Date;
  until: Date;
  /** Emails from before this time may be deleted, so nothing more happens to them. */
  retained: Date;
}

export async function readFreshness(
  database: Database,
  { projectId, from, until, retained }: CountedRange,
): Promise<Freshness> {
  const now = clock.now();
  // A count may lack emails if it was made during its hour, or so soon after it that a transaction with an email was still open.
  const { rows } = await COUNTED.sql`
    with counted as (
      select hour, counted_at, next_at, max(hour) over () as newest from email_counts
      where project_id = ${projectId} and metrics_at is not null and hour >= ${from} and hour < ${until}
    )
    select max(newest) as newest,
           min(counted_at) filter (
             where (hour = newest or hour >= ${new Date(now.getTime() - RECENT_MS)})
               and counted_at < hour + interval '1 hour' + ${TIMINGS.recountAfterMs} * interval '1 millisecond'
           ) as partial,
           min(counted_at) filter (where hour >= ${retained} and next_at <> 'infinity') as oldest
    from counted`.execute(database);
  const { newest = null, partial = null, oldest = null } = rows[0] ?? {};
  const end = newest === null ? from : new Date(newest.getTime() + HOUR_MS);
  const hasUncounted = end < until && (await hasEmails(database, projectId, end, until));
  if (newest === null && hasUncounted) return { countedAt: null, outcomesAt: null };
  const countedAt = earliest(now, partial, hasUncounted ? end : null);
  return { countedAt, outcomesAt: earliest(countedAt, oldest) };
}

function earliest(time: Date, ...others: (Date | null)[]): Date {
  return others.reduce<Date>((first, other) => (other !== null && other < first ? other : first), time);
}
