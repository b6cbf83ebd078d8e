/** The end of an attempt: what became of the rows, the timeline and the status, in one statement. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type SettledRow, settling } from '../../queue/settle.ts';
import { type NewEvent, recordingEvents } from '../events/record-events.ts';
import type { Job } from './begin-attempts.ts';

export interface FinishedAttempt {
  job: Job;
  rows: SettledRow[];
  events: NewEvent[];
}

/** Of an attempt whose lease is gone nothing is written. */
export async function completeAttempts(
  database: Database,
  epoch: string,
  batch: readonly FinishedAttempt[],
): Promise<void[]> {
  const settled = settling(
    epoch,
    batch.flatMap((attempt) => attempt.rows),
  );
  const events = recordingEvents(
    batch.map((attempt) => ({ ...attempt.job, events: attempt.events })),
    'settled',
  );
  await sql`with ${settled}, ${events} select from settled`.execute(database);
  return batch.map(() => undefined);
}
