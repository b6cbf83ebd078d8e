/** The end of an attempt: what became of the rows, the timeline and the status, in one commit. */
import type { Database } from '../../db/database.ts';
import { LeaseLost, type Life } from '../../queue/life.ts';
import { type SettledRow, settle } from '../../queue/settle.ts';
import { type NewEvent, recordEvents } from '../events/record-events.ts';
import type { Job } from './begin-attempts.ts';

export interface FinishedAttempt {
  job: Job;
  rows: SettledRow[];
  events: NewEvent[];
}

/** Per attempt: whether it was recorded. One that was not had lost its lease; nothing of it is written. */
export async function completeAttempts(
  database: Database,
  life: Life,
  batch: readonly FinishedAttempt[],
): Promise<boolean[]> {
  try {
    await database.transaction().execute(async (tx) => {
      await life.assertIn(tx);
      await settle(
        tx,
        life.epoch,
        batch.flatMap((attempt) => attempt.rows),
      );
      await recordEvents(
        tx,
        batch.map(({ job, events }) => ({ ...job, events })),
      );
    });
    return batch.map(() => true);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    if (life.lost || batch.length === 1) return batch.map(() => false);
    // One row that is not ours any more must not take the others with it.
    const recorded: boolean[] = [];
    for (const attempt of batch) recorded.push(...(await completeAttempts(database, life, [attempt])));
    return recorded;
  }
}
