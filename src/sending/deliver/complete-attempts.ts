/** The end of attempts: their rows, the timeline, the status and the suppression list, in one statement. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { type SettledRow, settling } from '../../queue/settle.ts';
import { bounceIn } from '../events/observe-events.ts';
import { type NewEvent, recordingEvents } from '../events/record-events.ts';
import { suppressing } from '../suppress/suppressing.ts';

/** An attempt at one recipient that has ended. */
export interface CompletedAttempt {
  row: SettledRow & { address: string };
  events: NewEvent[];
  /** The address belongs on the suppression list of the project. */
  suppress: boolean;
}

/** An attempt whose lease is gone writes nothing. */
export async function completeAttempts(
  database: Database,
  leaseId: string,
  batch: readonly CompletedAttempt[],
): Promise<void[]> {
  const settled = settling(
    leaseId,
    batch.map(({ row }) => row),
  );
  const events = recordingEvents(
    batch.map(({ row, events }) => ({ projectId: row.projectId, emailId: row.emailId, events })),
    settled,
  );
  const bounces = batch.filter(({ suppress }) => suppress);
  const suppressions = bounces.map(({ row, events }) => ({
    projectId: row.projectId,
    address: row.address,
    reason: 'bounce' as const,
    detail: { diagnostic: bounceIn(events)?.diagnostic ?? null },
    cause: { emailId: row.emailId, recipientIndex: row.recipientIndex },
    expiresAt: null,
  }));
  const listed = bounces.length === 0 ? sql`` : sql`, ${suppressing(suppressions, settled)}`;
  await sql`with ${settled.sql}, ${events}${listed} select from ${settled.name}`.execute(database);
  return batch.map(() => undefined);
}
