/** Finds the emails of a project that retention cannot have deleted. Only these can be counted. */
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { timeOf } from '../../model/ids.ts';

const RETENTION = columnsOf({ keepDays: 'int4?', oldest: 'uuid?', countedFrom: 'timestamptz?' });

/** The start of the hour that contains a time. */
export function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * All emails accepted after this time still exist, unless they were erased. For safety, this time is two hours after the retention limit.
 * @param keepDays the number of days for which a project and the installation keep emails. Null to keep them forever
 */
function retainedSince(...keepDays: (number | null)[]): Date {
  const days = Math.min(...keepDays.map((limit) => limit ?? Infinity));
  return days === Infinity ? new Date(0) : new Date(clock.nowMs() - days * DAY_MS + 2 * HOUR_MS);
}

/**
 * All emails accepted after this time still exist, unless they were erased, even if emails were kept for a shorter time earlier.
 * @param keepDays the number of days for which the installation keeps emails. Null to keep them forever
 */
export async function readRetained(
  database: Database,
  projectId: string,
  keepDays: number | null,
): Promise<Date> {
  const { rows } = await RETENTION.sql`
    select keep_days, (select id from emails where project_id = p.id order by id limit 1) as oldest,
           (select min(hour) from email_counts where project_id = p.id and emails > 0) as counted_from
    from projects p where id = ${projectId}`.execute(database);
  const { keepDays: ofProject = null, oldest = null, countedFrom = null } = rows[0] ?? {};
  const retained = retainedSince(keepDays, ofProject);
  const oldestHour = hourOf(oldest === null ? clock.now() : timeOf(oldest));
  if (countedFrom === null || countedFrom >= oldestHour) return retained;
  // Emails that were counted no longer exist. They may have been deleted up to the oldest one that exists, but emails are kept for at least
  // a day.
  const deletedUntilMs = Math.min(oldestHour.getTime() + HOUR_MS, retainedSince(1).getTime());
  return new Date(Math.max(retained.getTime(), deletedUntilMs));
}
