/**
 * What a report says of mail that a mailbox has sent: kept beside its recipients, for whoever judges whether the mailbox may go on sending
 * (src/sending/locks). Attack: whoever got one message of the mailbox can write any report to it. So a report counts only for
 * recipients that had the message that it gives back, and once for each.
 */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { isTelling } from '../../sending/locks/thresholds.ts';
import { classifyReply } from '../../sending/replies/classify-reply.ts';
import type { Report } from '../bounces/report.ts';
import type { MailboxReturnPath } from '../return-path.ts';

/** Reports on what is older say nothing of what the mailbox sends now. */
const MAX_AGE_MS = 7 * 24 * 3_600_000;

interface Noted {
  reported: 'bounced' | 'complained';
  messageId: string;
  /** In lower case. Null: the report names none, and counts for the first. */
  addresses: string[] | null;
}

/** Resolves when it is committed. A report that says nothing of who sends changes nothing. */
export async function noteSender(
  database: Database,
  { projectId, mailboxId }: MailboxReturnPath,
  report: Report,
): Promise<void> {
  const noted = notedIn(report);
  if (noted === null) return;
  const { reported, messageId, addresses } = noted;
  const oldest = firstUuidAt(new Date(clock.nowMs() - MAX_AGE_MS));
  const which =
    addresses === null ? sql`r.recipient_index = 0` : sql`lower(r.address) = any (${addresses}::text[])`;
  await sql`
    update submission_recipients r set reported = ${reported}, reported_at = now()
    from submissions s
    where s.project_id = ${projectId} and s.mailbox_id = ${mailboxId} and s.message_id = ${messageId}
      and s.kind = 'submitted' and s.id >= ${oldest}
      and r.project_id = s.project_id and r.submission_id = s.id and ${which}
      and r.outcome in ('relayed', 'delivered') and r.reported is null`.execute(database);
}

function notedIn(report: Report): Noted | null {
  if (report.kind === 'other' || report.kind === 'rejected' || report.original?.messageId == null)
    return null;
  const { messageId } = report.original;
  // PostgreSQL takes none, and no message of ours has one.
  if (messageId.includes('\0')) return null;
  if (report.kind === 'complaint') {
    if (report.feedbackType === 'not-spam') return null;
    const addresses = lowered(report.recipients);
    return { reported: 'complained', messageId, addresses: addresses.length === 0 ? null : addresses };
  }
  const refused = report.recipients.filter(
    ({ action, replyCode, enhancedCode, diagnostic }) =>
      action === 'failed' && isTelling(classifyReply({ replyCode, enhancedCode, text: diagnostic }).category),
  );
  const addresses = lowered(refused.flatMap(({ address }) => address ?? []));
  return addresses.length === 0 ? null : { reported: 'bounced', messageId, addresses };
}

function lowered(addresses: readonly string[]): string[] {
  return addresses.filter((address) => !address.includes('\0')).map((address) => address.toLowerCase());
}
