/** The end of an attempt: what became of the rows, the timeline and the status, in one statement. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type RowKey, type SettledRow, settling } from '../../queue/settle.ts';
import { type NewEvent, recordingEvents } from '../events/record-events.ts';
import type { Job } from './begin-attempts.ts';

export interface FinishedAttempt {
  job: Job;
  rows: SettledRow[];
  events: NewEvent[];
}

/** Per attempt: whether it was recorded. One that was not had lost its lease; nothing of it is written. */
export async function completeAttempts(
  database: Database,
  epoch: string,
  batch: readonly FinishedAttempt[],
): Promise<boolean[]> {
  const settled = settling(
    epoch,
    batch.flatMap((attempt) => attempt.rows),
  );
  const events = recordingEvents(
    batch.map((attempt) => ({ ...attempt.job, events: attempt.events })),
    'settled',
  );
  const { rows } =
    await sql<RowKey>`with ${settled}, ${events} select project_id, email_id, n from settled`.execute(
      database,
    );
  const recorded = new Set(rows.map(({ emailId, n }) => `${emailId} ${n}`));
  return batch.map((attempt) => attempt.rows.every(({ emailId, n }) => recorded.has(`${emailId} ${n}`)));
}
