import type { Database } from '../../db/database.ts';
import { rankOf } from '../../model/email-status.ts';
import { recordReported } from '../../sending/submit/record-outcomes.ts';
import { sameAddress } from '../bounces/addresses.ts';
import type { Report } from '../bounces/report.ts';
import type { MailboxReturnPath } from '../return-path.ts';
import { consequenceOfReport } from './report-consequence.ts';

/**
 * A report of a provider on what a mailbox has sent, which comes as no mail: its owner is told in the Inbox, as of what a server refused at
 * once, and it counts for whoever judges the mailbox (src/sending/locks). A complaint counts alone: who complained is not told.
 */
export async function recordSubmissionReport(
  database: Database,
  { projectId, mailboxId }: MailboxReturnPath,
  report: Report,
): Promise<void> {
  if (report.kind === 'other' || report.original?.submissionId === undefined) return;
  const { submissionId, rcptTo } = report.original;
  const recipients = await database
    .selectFrom('submissionRecipients as r')
    .innerJoin('submissions as s', (join) =>
      join.onRef('s.projectId', '=', 'r.projectId').onRef('s.id', '=', 'r.submissionId'),
    )
    .select(['r.recipientIndex', 'r.address'])
    .where('s.projectId', '=', projectId)
    .where('s.id', '=', submissionId)
    // The return path proves the mailbox, and nothing proves the id.
    .where('s.mailboxId', '=', mailboxId)
    .execute();
  // Each recipient is a message of its own there.
  const recipient = recipients.find(({ address }) => rcptTo.some((one) => sameAddress(one, address)));
  if (recipient === undefined) return;
  const known = { reached: rankOf('sent'), stage: 0, deferrals: [] };
  const { events } = consequenceOfReport(report, { ...recipient, ...known });
  await recordReported(database, [
    { projectId, emailId: submissionId, recipientIndex: recipient.recipientIndex, events },
  ]);
}
