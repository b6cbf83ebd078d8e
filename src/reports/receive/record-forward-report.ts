import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import type { Report } from '../bounces/report.ts';
import type { ForwardReturnPath } from '../return-path.ts';

const MAX_DIAGNOSTIC = 1_000;

/**
 * Records a report on a message that a mailbox forwarded. Only a failure matters: the failure is recorded as if the target had rejected
 * the message at once. A report that arrives twice, or after the message was deleted, has no effect.
 */
export async function recordForwardReport(
  database: Database,
  report: Report,
  forwards: readonly ForwardReturnPath[],
): Promise<void> {
  const reason = failureIn(report);
  if (reason === null) return;
  const detail = JSON.stringify({ diagnostic: printable(reason, MAX_DIAGNOSTIC) });
  for (const { projectId, submissionId } of forwards)
    await sql`
      update submission_recipients set outcome = 'failed', detail = ${detail}::json, ended_at = now()
      where project_id = ${projectId} and submission_id = ${submissionId} and outcome in ('delivered', 'relayed')`.execute(
      database,
    );
}

/** @returns the reason for the failure, or null if the report contains no failure */
function failureIn(report: Report): string | null {
  if (report.kind === 'rejected') return report.reason;
  if (report.kind !== 'dsn') return null;
  return report.recipients.find(({ action }) => action === 'failed')?.diagnostic ?? null;
}
