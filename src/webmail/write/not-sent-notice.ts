/**
 * Composes the notice that a message could not be sent at its send time. The notice is stored in the Inbox, because the user has probably
 * closed the composer by then.
 */
import { prepareInRow } from '../../blobs/blobs.ts';
import type { Database } from '../../db/database.ts';
import { namedMailbox } from '../../mailboxes/named-mailbox.ts';
import * as clock from '../../model/clock.ts';
import { newUuid } from '../../model/ids.ts';
import { compose } from '../../rfc/message/compose.ts';
import type { NewMessage } from '../../store/append.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { recipientsOf } from './draft-content.ts';
import type { DraftRow } from './draft-rows.ts';

const MAX_NAMED = 10;

/** @returns null if the mailbox has been deleted */
export async function notSentNotice(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { content }: DraftRow,
  problem: string,
): Promise<{ bytes: Buffer; message: Omit<NewMessage, 'facts'> } | null> {
  const row = await database
    .selectFrom('mailboxes')
    .select(['localPart', 'domain'])
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const recipients = recipientsOf(content).map(({ address }) => address);
  const more = recipients.length > MAX_NAMED ? ` and ${recipients.length - MAX_NAMED} more` : '';
  const { header, body } = compose({
    from: namedMailbox('postmaster', row.domain, null),
    to: [namedMailbox(row.localPart, row.domain, null)],
    cc: [],
    replyTo: [],
    subject: `Not sent: ${content.subject || 'a message without a subject'}`.slice(0, 900).toWellFormed(),
    html: null,
    text: [
      `Your message to ${recipients.slice(0, MAX_NAMED).join(', ')}${more} was not sent.`,
      '',
      `Reason: ${problem}`,
      '',
      'The message is back in Drafts, with all attachments. Open the draft, and send it again once the problem is solved.',
      '',
    ].join('\n'),
    // RFC 3834, section 5: prevents vacation replies to this notice.
    headers: [['Auto-Submitted', 'auto-generated']],
    messageId: `<${newUuid()}@${row.domain}>`,
    date: clock.now(),
  });
  const bytes = Buffer.concat([Buffer.from(`Return-Path: <>\r\n${header}\r\n`), body]);
  const message: Omit<NewMessage, 'facts'> = {
    projectId,
    mailboxId,
    folder: { role: 'inbox' },
    blob: prepareInRow(projectId, bytes),
    flags: 0,
    keywords: [],
    internalDate: clock.now(),
    authentication: null,
    spam: null,
    mayExceedQuota: true,
  };
  return { bytes, message };
}
