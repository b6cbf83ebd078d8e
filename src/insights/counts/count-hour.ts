import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { HOUR_MS } from '../../model/day.ts';
import type { StepPacer } from '../../sending/background-scan.ts';
import { countEmails } from './count-emails.ts';
import { outcomesOf } from './outcomes.ts';
import { TIMINGS } from './timings.ts';
import { dayOf, dropHours, writeMetrics } from './write-metrics.ts';

export const DUE_HOUR = columnsOf({
  projectId: 'uuid',
  hour: 'timestamptz',
});

export type DueHour = RowOf<typeof DUE_HOUR>;

/**
 * Recounts the emails of an hour and schedules the next recount: each minute until the hour is over, then less and less often. An hour whose
 * count takes long is counted at most half of the time. The last recount is at the age of `oldMs`. If emails of the hour may already be
 * deleted, it is not recounted, and its last counts stay.
 * @param retained emails from before this time may be deleted
 */
export async function countHour(
  database: Database,
  pace: StepPacer,
  { projectId, hour }: DueHour,
  retained: Date,
): Promise<void> {
  const now = new Date(clock.nowMs());
  const startMs = performance.now();
  const end = new Date(hour.getTime() + HOUR_MS);
  const ageMs = Math.max(0, now.getTime() - end.getTime());
  const isRetained = hour >= retained;
  const parts = isRetained ? await countEmails(database, pace, projectId, hour, end) : null;
  const isOver = ageMs >= (isRetained ? TIMINGS.oldMs : TIMINGS.keepHoursMs);
  const tookMs = Math.ceil(performance.now() - startMs);
  const waitMs = Math.max(TIMINGS.recountAfterMs, ageMs * TIMINGS.recountGrowth, 2 * tookMs);
  const next = isRetained
    ? Math.min(now.getTime() + waitMs, end.getTime() + TIMINGS.oldMs)
    : end.getTime() + TIMINGS.keepHoursMs;
  await pace(() =>
    database.transaction().execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('emailCounts')
        .set({ nextAt: isOver ? sql<Date>`'infinity'` : new Date(next), metricsAt: now })
        .$if(parts !== null, (query) =>
          query.set({ ...outcomesOf(parts?.find(({ dimension }) => dimension === 'all')), countedAt: now }),
        )
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
