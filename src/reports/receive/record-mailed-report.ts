/**
 * Records a report by mail on a message that a mailbox sent. The owner gets a notice, as for an immediate rejection, and not the report
 * itself. Attack: anyone who received one message from the mailbox can send any report to the message's return path. So a report counts
 * only for recipients of the message in the report whose servers had accepted that message, and once for each recipient.
 */
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { retryingConflicts } from '../../db/retry.ts';
import { rankOf } from '../../model/email-status.ts';
import { NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import type { RecipientDetail } from '../../sending/notices/notified-recipient.ts';
import { isIncriminating } from '../../sending/locks/thresholds.ts';
import { recordReported } from '../../sending/submit/record-outcomes.ts';
import { sameAddress } from '../bounces/addresses.ts';
import type { Report, ReportedRecipient } from '../bounces/report.ts';
import type { MailboxReturnPath } from '../return-path.ts';
import { consequenceOfReport } from './report-consequence.ts';

/** The maximum number of recipient rows compared with a report. A message that was sent twice has two rows for each recipient. */
const MAX_ROWS = 200;

const REPORTED = columnsOf({
  submissionId: 'uuid',
  recipientIndex: 'int2',
  address: 'text',
  notify: 'int2',
  outcome: shaped<'delivered' | 'relayed' | 'failed' | null>('text?'),
  detail: shaped<RecipientDetail | null>('json?'),
  isInFlight: 'bool',
});
type ReportedRow = RowOf<typeof REPORTED>;

/**
 * `recorded`: the report itself need not be delivered, because a notice tells the owner everything, or the owner declined such notices.
 * `tooSoon`: the message is still in flight. `unknown`: the report itself is delivered, because it matches no message, or says something
 * new.
 */
type MailedOutcome = 'recorded' | 'tooSoon' | 'unknown';

/** Resolves after the commit. Recording the same report again has no effect. */
export async function recordMailedReport(
  database: Database,
  mailbox: MailboxReturnPath,
  report: Report,
): Promise<MailedOutcome> {
  if (report.kind !== 'dsn' || report.original?.messageId == null) return 'unknown';
  const { recipients } = report;
  const { messageId } = report.original;
  const names = recipients.flatMap(namesOf);
  // PostgreSQL does not accept NUL, and our message IDs contain none.
  if (names.length === 0 || [messageId, ...names].some((text) => text.includes('\0'))) return 'unknown';
  return retryingConflicts(() =>
    database.transaction().execute(async (tx) => {
      const rows = await lockRows(tx, mailbox, messageId, names);
      const outcomes: MailedOutcome[] = [];
      for (const reported of recipients) outcomes.push(await recordOne(tx, mailbox, report, reported, rows));
      return (['tooSoon', 'unknown'] as const).find((one) => outcomes.includes(one)) ?? 'recorded';
    }),
  );
}

function namesOf({ address, originalAddress }: ReportedRecipient): string[] {
  return [address, originalAddress].flatMap((name) => (name == null ? [] : [name.toLowerCase()]));
}

/** Locks the rows, newest first. The order is the same in every transaction to prevent deadlocks. */
async function lockRows(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxReturnPath,
  messageId: string,
  names: readonly string[],
): Promise<ReportedRow[]> {
  const { rows } = await REPORTED.sql`
    select r.submission_id, r.recipient_index, r.address, r.notify, r.outcome, r.detail,
      r.outcome is null and exists (
        select from queue q
        where q.project_id = r.project_id and q.email_id = r.submission_id and q.recipient_index = r.recipient_index and q.in_flight
      ) as is_in_flight
    from submissions s join submission_recipients r on r.project_id = s.project_id and r.submission_id = s.id
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.message_id = ${messageId}
      and s.kind = 'submitted' and s.reverse_path is null and lower(r.address) = any (${names}::text[])
    order by r.submission_id desc, r.recipient_index limit ${MAX_ROWS} for no key update of r`.execute(tx);
  return rows;
}

async function recordOne(
  tx: DatabaseTransaction,
  { projectId }: MailboxReturnPath,
  report: Extract<Report, { kind: 'dsn' }>,
  reported: ReportedRecipient,
  rows: readonly ReportedRow[],
): Promise<MailedOutcome> {
  const matching = rows.filter(({ address }) => namesOf(reported).some((name) => sameAddress(name, address)));
  if (reported.action !== 'failed')
    return matching.length > 0 && matching.every(({ notify }) => (notify & bitOf(reported)) === 0)
      ? 'recorded'
      : 'unknown';
  if (matching.some(({ isInFlight }) => isInFlight)) return 'tooSoon';
  const row = matching.find(({ outcome }) => outcome === 'relayed' || outcome === 'delivered') ?? matching[0];
  if (row === undefined || row.outcome === null) return 'unknown';
  const { submissionId: emailId, recipientIndex, address, outcome } = row;
  const { events } = consequenceOfReport(
    { ...report, recipients: [reported] },
    { recipientIndex, address, reached: rankOf('sent'), stage: 0, deferrals: [], wasSuppressed: false },
  );
  const [event] = events;
  if (event?.type !== 'bounced') return 'unknown';
  if (outcome === 'failed') return isKnown(row.detail, event.detail) ? 'recorded' : 'unknown';
  const byMail = { was: outcome, isIncriminating: isIncriminating(event.detail.category) };
  await recordReported(tx, [{ projectId, emailId, recipientIndex, events, byMail }]);
  // A report may name the same recipient twice. The second time, this failure must count as already known.
  row.outcome = 'failed';
  row.detail = event.detail;
  return 'recorded';
}

function bitOf({ action }: ReportedRecipient): number {
  return action === 'delayed' ? NOTIFY.delay : NOTIFY.success;
}

function isKnown(
  earlier: RecipientDetail | null,
  { diagnostic, remote_mta: remoteMta, source }: Extract<RecipientDetail, { category: unknown }>,
): boolean {
  return (
    earlier !== null &&
    'category' in earlier &&
    earlier.source === source &&
    earlier.diagnostic === diagnostic &&
    earlier.remote_mta === remoteMta
  );
}
