import type { Database } from '../../db/database.ts';
import { rankOf } from '../../model/email-status.ts';
import { recordReported } from '../../sending/submit/record-outcomes.ts';
import { sameAddress } from '../bounces/addresses.ts';
import type { Report } from '../bounces/report.ts';
import type { MailboxReturnPath } from '../return-path.ts';
import { consequenceOfReport } from './report-consequence.ts';

/**
 * Records a provider's report that did not arrive by mail, on a message that a mailbox sent. The owner gets a notice in the Inbox, as for
 * an immediate rejection, and the report counts in the decision whether the mailbox may go on sending (src/sending/locks). A complaint is
 * only counted: the owner gets no notice of a complaint.
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
    // The return path proves the mailbox. The submission ID alone can be forged.
    .where('s.mailboxId', '=', mailboxId)
    .execute();
  // The provider sends a separate message to each recipient.
  const recipient = recipients.find(({ address }) => rcptTo.some((one) => sameAddress(one, address)));
  if (recipient === undefined) return;
  const known = { reached: rankOf('sent'), stage: 0, deferrals: [], wasSuppressed: false };
  const { events } = consequenceOfReport(report, { ...recipient, ...known });
  await recordReported(database, [
    { projectId, emailId: submissionId, recipientIndex: recipient.recipientIndex, events },
  ]);
}
