/** Schedules an earlier count of hours whose emails changed later. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { type Database, isDatabaseAway } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { type ChangedHour, takeChangedHours } from '../../sending/events/changed-hours.ts';
import { TIMINGS } from './timings.ts';

/** Hours with more recipients are counted only on their usual schedule, because a count of them takes long. */
const MAX_RECIPIENTS = 5_000;

const HOURS = rowsOf<ChangedHour>('h', {
  project_id: ['uuid', ({ projectId }) => projectId],
  hour: ['timestamptz', ({ hour }) => hour],
});

/** Marks the hours that changed in this process until it stops. @returns stops it, after a last call */
export function markingHours(database: Database, logger: Logger): AsyncDisposable {
  const mark = () =>
    markHours(database).catch((error: unknown) => {
      if (!isDatabaseAway(error)) logger.error({ err: error }, LOG_MESSAGES.emailsNotCounted);
    });
  const timer = setInterval(() => void mark(), TIMINGS.markMs);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await mark();
      await mark();
    },
  };
}

/** Makes the hours that were noted before the previous call due. An older hour is due less often, so that few hours are due at once. */
export async function markHours(database: Database): Promise<void> {
  const hours = takeChangedHours();
  if (hours.length === 0) return;
  const now = clock.now();
  // A locked row is skipped: its hour is being counted, or another process marks it. So is an hour that waits for longer than its age
  // requires, because a count of it took long.
  await sql`
    with changed as (
      select c.project_id, c.hour, d.due_at
      from email_counts c join ${HOURS.from(hours)} using (project_id, hour), lateral (
        select greatest(${now}::timestamptz, c.counted_at + greatest(
          ${TIMINGS.recountAfterMs} * interval '1 millisecond',
          ${TIMINGS.markGrowth}::float8 * (${now}::timestamptz - c.hour - ${HOUR_MS} * interval '1 millisecond')
        )) as due_at
      ) d
      where c.next_at - c.counted_at <= interval '1 second' + greatest(
          ${TIMINGS.recountAfterMs} * interval '1 millisecond',
          ${TIMINGS.recountGrowth}::float8 * (c.counted_at - c.hour - ${HOUR_MS} * interval '1 millisecond')
        )
        and c.next_at <> 'infinity' and c.recipients <= ${MAX_RECIPIENTS} and c.next_at > d.due_at
      for update of c skip locked
    )
    update email_counts c set next_at = h.due_at
    from changed h where c.project_id = h.project_id and c.hour = h.hour`.execute(database);
}
