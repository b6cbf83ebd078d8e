/**
 * Records a complaint about mail that a mailbox sent, with the recipients of that mail, for the decision whether the mailbox may go on
 * sending (src/sending/locks). Attack: anyone who received one message from the mailbox can send any complaint to the message's return
 * path. So a complaint counts only for recipients of the message that the complaint contains, and once for each recipient.
 */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { Report } from '../bounces/report.ts';
import type { MailboxReturnPath } from '../return-path.ts';

/** Complaints about older mail say nothing about the mail that the mailbox sends now. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/** Resolves after the commit. A complaint that names no recipient counts for the first recipient of the message. */
export async function noteComplaint(
  database: Database,
  { projectId, mailboxId }: MailboxReturnPath,
  { feedbackType, recipients, original }: Extract<Report, { kind: 'complaint' }>,
): Promise<void> {
  // PostgreSQL does not accept NUL, and our message IDs contain none. RFC 5965, section 7.3: not-spam means that the mail is wanted.
  if (original?.messageId == null || original.messageId.includes('\0') || feedbackType === 'not-spam') return;
  const addresses = recipients
    .filter((address) => !address.includes('\0'))
    .map((address) => address.toLowerCase());
  const oldest = firstUuidAt(new Date(clock.nowMs() - MAX_AGE_MS));
  const which =
    addresses.length === 0 ? sql`r.recipient_index = 0` : sql`lower(r.address) = any (${addresses}::text[])`;
  await sql`
    update submission_recipients r set reported = 'complained', reported_at = now()
    from submissions s
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.message_id = ${original.messageId}
      and s.kind = 'submitted' and s.id >= ${oldest}
      and r.project_id = s.project_id and r.submission_id = s.id and ${which}
      and r.outcome in ('relayed', 'delivered') and r.reported is null`.execute(database);
}
