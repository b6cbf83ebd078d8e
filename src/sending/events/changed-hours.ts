/**
 * The hours of emails that changed after their hour, in this process: for example, an email of yesterday was opened. The counts of such an
 * hour are out of date (`insights/counts/mark-hours.ts`). Noting a change takes no statement, so it costs senders nothing. If the process is
 * killed, its notes are lost, and the hours are counted on their usual schedule. Opens and clicks by people are also noted in the database
 * (`markingOpens`), so that a search knows whether a count without any is still true.
 */
import { type RawBuilder, sql } from 'kysely';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { timeOf } from '../../model/ids.ts';

export interface ChangedHour {
  projectId: string;
  hour: Date;
}

/** The age after which the outcomes of emails are no longer counted. */
export const COUNTED_FOR_MS = 35 * DAY_MS;
/** The maximum number of projects noted between two calls of `takeChangedHours`. Changes in further projects are not noted. */
const MAX_PROJECTS = 500;
/** The maximum number of hours noted per project, the newest ones, so that one project can neither fill the notes nor occupy the worker. */
const MAX_HOURS = 10;

/** For each project, the hours as numbers since 1970. */
type Notes = Map<string, Set<number>>;

let noted: Notes = new Map();
let waiting: Notes = new Map();

/** Notes that emails change. The change may be committed later, but before the second next call of `takeChangedHours`. */
export function noteChanges(emails: readonly { projectId: string; emailId: string }[]): void {
  const nowMs = clock.nowMs();
  const thisHour = Math.floor(nowMs / HOUR_MS);
  const firstHour = Math.floor((nowMs - COUNTED_FOR_MS) / HOUR_MS);
  for (const { projectId, emailId } of emails) {
    const hour = Math.floor(timeOf(emailId).getTime() / HOUR_MS);
    // The running hour is counted each minute anyway.
    if (hour >= thisHour || hour < firstHour) continue;
    const hours = noted.get(projectId);
    if (hours !== undefined) noteHour(hours, hour);
    else if (noted.size < MAX_PROJECTS) noted.set(projectId, new Set([hour]));
  }
}

function noteHour(hours: Set<number>, hour: number): void {
  hours.add(hour);
  if (hours.size > MAX_HOURS) hours.delete(Math.min(...hours));
}

/** The hours that were noted before the previous call. */
export function takeChangedHours(): readonly ChangedHour[] {
  const taken = waiting;
  waiting = noted;
  noted = new Map();
  return [...taken].flatMap(([projectId, hours]) =>
    [...hours].map((hour) => ({ projectId, hour: new Date(hour * HOUR_MS) })),
  );
}

/** An open or click is noted at most this often for an hour, so that most of them write nothing. */
const MARK_EVERY = sql`interval '30 seconds'`;

const OPENED = rowsOf<ChangedHour>('o', {
  project_id: ['uuid', ({ projectId }) => projectId],
  hour: ['timestamptz', ({ hour }) => hour],
});

/** CTEs that note that people opened or clicked these emails. An hour without counts needs no note. Begins with a comma. */
export function markingOpens(emails: readonly { projectId: string; emailId: string }[]): RawBuilder<unknown> {
  if (emails.length === 0) return sql``;
  const hours = emails.map(({ projectId, emailId }) => ({
    projectId,
    hour: new Date(Math.floor(timeOf(emailId).getTime() / HOUR_MS) * HOUR_MS),
  }));
  const distinct = [
    ...new Map(hours.map((each) => [`${each.projectId} ${each.hour.getTime()}`, each])).values(),
  ];
  return sql`, opened_hours as (
      select c.project_id, c.hour from ${OPENED.from(distinct)} join email_counts c using (project_id, hour)
      where c.person_at < now() - ${MARK_EVERY}
      -- Ordered, so that two transactions never deadlock.
      order by c.project_id, c.hour for no key update of c
    ), marked_hours as (
      update email_counts c set person_at = now() from opened_hours h where c.project_id = h.project_id and c.hour = h.hour
    )`;
}
