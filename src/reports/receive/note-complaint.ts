/**
 * A complaint about mail that a mailbox has sent: kept beside its recipients, for whoever judges whether the mailbox may go on sending
 * (src/sending/locks). Attack: whoever got one message of the mailbox can write any complaint to it. So one counts only for
 * recipients that had the message that it gives back, and once for each.
 */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import type { Report } from '../bounces/report.ts';
import type { MailboxReturnPath } from '../return-path.ts';

/** Complaints about what is older say nothing of what the mailbox sends now. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

/** Resolves when it is committed. One that names nobody counts for the first recipient. */
export async function noteComplaint(
  database: Database,
  { projectId, mailboxId }: MailboxReturnPath,
  { feedbackType, recipients, original }: Extract<Report, { kind: 'complaint' }>,
): Promise<void> {
  // PostgreSQL takes no NUL, and no message of ours has one. RFC 5965, section 7.3: not-spam says that the mail is wanted.
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
