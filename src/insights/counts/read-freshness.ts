/** Reads how old the worker's counts of a project are. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { TIMINGS } from './timings.ts';
import { hasEmails } from './write-metrics.ts';

const COUNTED = columnsOf({
  newest: 'timestamptz?',
  uncounted: 'timestamptz?',
  partial: 'timestamptz?',
  oldest: 'timestamptz?',
});

export interface Freshness {
  /** All emails accepted before this time are counted. Null if there are emails, but no counts yet. */
  countedAt: Date | null;
  /**
   * All outcomes from before this time are counted, including later ones of older emails, such as opens. Outcomes more than `oldMs` after
   * their email are never counted. Not after `countedAt`.
   */
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
    select max(hour) filter (where metrics_at is not null) as newest, min(hour) filter (where metrics_at is null) as uncounted,
           min(counted_at) filter (
             where is_recounted and counted_at < hour + interval '1 hour' + ${TIMINGS.recountAfterMs} * interval '1 millisecond'
           ) as partial,
           min(counted_at) filter (where is_recounted) as oldest
    from email_counts,
         lateral (select metrics_at is not null and next_at <> 'infinity' and hour >= ${retained} as is_recounted) r
    where project_id = ${projectId} and hour >= ${from} and hour < ${until}`.execute(database);
  const { newest = null, uncounted = null, partial = null, oldest = null } = rows[0] ?? {};
  const end = newest === null ? from : new Date(newest.getTime() + HOUR_MS);
  const hasUncounted = end < until && (await hasEmails(database, projectId, end, until));
  if (newest === null && hasUncounted) return { countedAt: null, outcomesAt: null };
  const countedAt = earliest(now, partial, uncounted, hasUncounted ? end : null);
  return { countedAt, outcomesAt: earliest(countedAt, oldest) };
}

function earliest(time: Date, ...others: (Date | null)[]): Date {
  return others.reduce<Date>((first, other) => (other !== null && other < first ? other : first), time);
}
