import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import type { StepPacer } from '../../sending/background-scan.ts';
import { countEmails } from './count-emails.ts';
import type { Outcomes } from './outcomes.ts';
import type { TallyPart } from './tally.ts';
import { TIMINGS } from './timings.ts';
import { dayOf, dropHours, writeMetrics } from './write-metrics.ts';

/** The start of the hour that contains a time. */
export function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
}

export const DUE_HOUR = columnsOf({
  projectId: 'uuid',
  hour: 'timestamptz',
  /** When the emails of the hour were last counted by dimension. Null if they never were. */
  metricsAt: 'timestamptz?',
});

export type DueHour = RowOf<typeof DUE_HOUR>;

/**
 * Recounts the emails of an hour and schedules the next recount: each minute until the hour is over, then less and less often. An hour whose
 * count takes long is counted at most half of the time. If emails of the hour may already be deleted, it is not recounted, and its last
 * counts stay.
 * @param retainedSince emails from before this time may be deleted
 */
export async function countHour(
  database: Database,
  pace: StepPacer,
  { projectId, hour, metricsAt }: DueHour,
  retainedSince: Date,
): Promise<void> {
  const now = new Date(clock.nowMs());
  const startMs = performance.now();
  const end = new Date(hour.getTime() + HOUR_MS);
  const ageMs = Math.max(0, now.getTime() - end.getTime());
  const isRetained = hour >= retainedSince;
  const parts =
    isRetained && (ageMs <= TIMINGS.oldMs || metricsAt === null)
      ? await countEmails(database, pace, projectId, hour, end)
      : null;
  const isOver = ageMs >= (isRetained ? TIMINGS.oldMs : TIMINGS.keepHoursMs);
  const tookMs = Math.ceil(performance.now() - startMs);
  const next = isRetained
    ? now.getTime() + Math.max(TIMINGS.recountAfterMs, ageMs * TIMINGS.recountGrowth, 2 * tookMs)
    : end.getTime() + TIMINGS.keepHoursMs;
  await pace(() =>
    database.transaction().execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('emailCounts')
        .set({ nextAt: isOver ? sql<Date>`'infinity'` : new Date(next), metricsAt: now })
        .$if(parts !== null, (query) => query.set({ ...outcomesOf(parts ?? []), countedAt: now }))
        .where('projectId', '=', projectId)
        .where('hour', '=', hour)
        .executeTakeFirst();
      // No row was updated, because the project was deleted in the meantime.
      if (numUpdatedRows === 0n) return;
      await writeMetrics(tx, projectId, hour, parts);
      if (isOver) await dropHours(tx, projectId, dayOf(hour));
    }),
  );
}

function outcomesOf(parts: readonly TallyPart[]): Outcomes {
  const all = parts.find(({ dimension }) => dimension === 'all');
  const { emails = 0, recipients = 0, delivered = 0, clicked = 0, failed = 0, complained = 0 } = all ?? {};
  return {
    emails,
    recipients,
    delivered,
    clicked,
    failed,
    complained,
    opened: (all?.openedByPeople ?? 0) + (all?.openedByMachines ?? 0),
    bounced: (all?.bouncedHard ?? 0) + (all?.bouncedSoft ?? 0),
  };
}
