/** Completes attempts: updates their queue rows, the timeline, the status and the suppression list in one statement. */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { QueueStream } from '../../model/streams.ts';
import { type SettledRow, settling } from '../../queue/settle.ts';
import { bounceIn } from '../events/observe-events.ts';
import { type NewEvent, recordingEvents } from '../events/record-events.ts';
import { recordingOutcomes } from '../submit/record-outcomes.ts';
import { suppressing } from '../suppress/suppressing.ts';

/** A finished attempt at one recipient. */
export interface CompletedAttempt {
  row: SettledRow & { address: string; stream: QueueStream };
  events: NewEvent[];
  /** Whether the address is added to the suppression list of the project. */
  suppress: boolean;
  /** Whether the next server sends the success notice that the sender requested. Default: Posthorn sends it. */
  reportsSuccessItself?: boolean;
}

/** Completes the attempts. Attempts whose lease is lost write nothing. */
export async function completeAttempts(
  database: Database,
  leaseId: string,
  batch: readonly CompletedAttempt[],
): Promise<void[]> {
  const settled = settling(
    leaseId,
    batch.map(({ row }) => row),
  );
  const { submitted = [], emails = [] } = Object.groupBy(batch, ({ row }) =>
    row.stream === 'mailbox' ? 'submitted' : 'emails',
  );
  const changesOf = (attempts: readonly CompletedAttempt[]) =>
    attempts.map(({ row: { projectId, emailId, recipientIndex }, events, reportsSuccessItself }) => ({
      projectId,
      emailId,
      recipientIndex,
      events,
      reportsSuccessItself,
    }));
  const recording = [
    settled.sql,
    ...(emails.length === 0 ? [] : [recordingEvents(changesOf(emails), settled)]),
    ...(submitted.length === 0 ? [] : [recordingOutcomes(changesOf(submitted), settled)]),
  ];
  // Mailbox mail neither adds to the suppression list nor is blocked by it.
  const bounces = emails.filter(({ suppress }) => suppress);
  const suppressions = bounces.map(({ row, events }) => ({
    projectId: row.projectId,
    address: row.address,
    reason: 'bounce' as const,
    detail: { diagnostic: bounceIn(events)?.diagnostic ?? null },
    cause: { emailId: row.emailId, recipientIndex: row.recipientIndex },
    expiresAt: null,
  }));
  if (bounces.length > 0) recording.push(suppressing(suppressions, settled));
  await sql`with ${sql.join(recording)} select from ${settled.name}`.execute(database);
  return batch.map(() => undefined);
}
