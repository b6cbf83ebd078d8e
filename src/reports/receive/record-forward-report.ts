import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import type { Report } from '../bounces/report.ts';
import type { ForwardReturnPath } from '../return-path.ts';

const MAX_DIAGNOSTIC = 1_000;

/**
 * A report on what a mailbox forwarded. That it failed after all is all that counts: it is written as if the target had refused it at once.
 * One that comes twice, or after the message is forgotten, changes nothing.
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

/** Null: it says of nothing that it failed. */
function failureIn(report: Report): string | null {
  if (report.kind === 'rejected') return report.reason;
  if (report.kind !== 'dsn') return null;
  return report.recipients.find(({ action }) => action === 'failed')?.diagnostic ?? null;
}
