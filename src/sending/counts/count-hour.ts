import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { Pace } from '../background-look.ts';
import { NO_OUTCOMES, OUTCOME_COLUMNS, type Outcomes, sum } from './outcomes.ts';
import { TIMINGS } from './timings.ts';

export const HOUR_MS = 3_600_000;
/** Emails that one statement counts: some ten milliseconds of it. */
const SLICE = 10_000;

/** The hour that a time is in. */
export function hourOf(time: Date): Date {
  return new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * Counts the emails of an hour anew, and says when that is done next: soon while the hour is young, and ever later. Nothing is counted of emails
 * that may be deleted already: what was counted of them stays.
 * @param keptSince emails from before it may be deleted
 */
export async function countHour(
  database: Database,
  pace: Pace,
  projectId: string,
  hour: Date,
  keptSince: Date,
): Promise<void> {
  const nowMs = clock.nowMs();
  const ageMs = nowMs - hour.getTime();
  if (hour < keptSince || ageMs > TIMINGS.oldMs) {
    await database
      .updateTable('emailCounts')
      .set({ nextAt: sql<Date>`'infinity'` })
      .where('projectId', '=', projectId)
      .where('hour', '=', hour)
      .execute();
    return;
  }
  const counted = await countBetween(database, pace, projectId, hour, new Date(hour.getTime() + HOUR_MS));
  const row = {
    ...counted,
    countedAt: new Date(nowMs),
    nextAt: new Date(nowMs + Math.max(TIMINGS.againMs, ageMs * TIMINGS.againShare)),
  };
  await database
    .insertInto('emailCounts')
    .values({ projectId, hour, ...row })
    .onConflict((conflict) => conflict.columns(['projectId', 'hour']).doUpdateSet(row))
    .execute();
}

interface Slice extends Outcomes {
  lastId: string | null;
}

/** What the emails came to that were accepted from one moment on, up to another. */
async function countBetween(
  database: Database,
  pace: Pace,
  projectId: string,
  from: Date,
  until: Date,
): Promise<Outcomes> {
  const end = firstUuidAt(until);
  const slices: Outcomes[] = [];
  for (let after: string | null = null; ; ) {
    const start: string = after ?? firstUuidAt(from);
    const { rows }: { rows: Slice[] } = await pace(() =>
      sql<Slice>`
        with slice as (
          select id, stages from emails
          where project_id = ${projectId} and ${after === null ? sql`id >= ${start}` : sql`id > ${start}`} and id < ${end}
          order by id limit ${SLICE}
        )
        select ${OUTCOME_COLUMNS}, (select id from slice order by id desc limit 1) as last_id
        from slice cross join lateral unnest(stages) stage`.execute(database),
    );
    const { lastId, ...outcomes }: Slice = rows[0] ?? { lastId: null, ...NO_OUTCOMES };
    slices.push(outcomes);
    if (lastId === null || outcomes.emails < SLICE) return sum(slices);
    after = lastId;
  }
}
