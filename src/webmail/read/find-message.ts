/** The stored data of one message. */
import type { MailMessageSummary } from '../../contract/mail/conversations.ts';
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { SpamLevel } from '../../model/spam-levels.ts';
import type { Authentication } from '../../receiving/authenticate/authentication.ts';
import type { SpamVerdict } from '../../receiving/spam/verdict.ts';
import { SUMMARY, summaryOf } from '../list/read-conversation.ts';
import { JOIN_SNOOZED } from '../list/thread-messages.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';

export interface MessageOfMailbox {
  summary: MailMessageSummary;
  threadId: string;
  digest: Buffer;
  octets: number;
  /** Null if the message was not received over SMTP. */
  authentication: Omit<Authentication, 'header'> | null;
  /** The member who sent the message for this mailbox. Null: a message of another kind. */
  sentBy: string | null;
  /** The result of the spam check. Null if the message was not received over SMTP. */
  spam: SpamVerdict | null;
  /** The current level of the mailbox or, if it has none, of its project. */
  spamLevel: SpamLevel;
}

const FOUND_MESSAGE = columnsOf({
  ...SUMMARY.kinds,
  threadId: 'uuid',
  digest: 'bytea',
  authentication: shaped<MessageOfMailbox['authentication']>('json?'),
  sentBy: 'text?',
  spam: shaped<SpamVerdict | null>('json?'),
  spamLevel: shaped<SpamLevel>('text'),
});

/** @returns null if the message is in no folder of the mailbox */
export async function findMessage(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  objectId: string,
): Promise<MessageOfMailbox | null> {
  const { rows } = await FOUND_MESSAGE.sql`
    with each as materialized (
      select m.object_id, min(coalesce(s.received_at, m.internal_date)) as received_at, array_agg(m.folder_id order by m.folder_id) as folder_ids,
        min(m.octets) as octets, bit_and(m.flags & 1) = 1 as is_seen, bit_or(m.flags) as flags,
        array_remove(string_to_array(string_agg(array_to_string(m.keywords, ' '), ' '), ' '), '') as keywords
      from messages m
      join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id and f.name is not null
      ${JOIN_SNOOZED}
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = ${objectId}
      group by m.object_id
    )
    select e.object_id, (extract(epoch from e.received_at) * 1000000)::int8::text as received_at, e.folder_ids, e.octets, e.is_seen,
      e.flags, e.keywords, c.message_id, c.thread_id, c.subject, c.addresses, c.sent_at, c.preview, c.attachments, c.digest, c.authentication, c.sent_by, c.spam,
      coalesce(b.spam_level, p.default_spam_level) as spam_level
    from each e join message_contents c on c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = e.object_id
    join mailboxes b on b.project_id = ${projectId} and b.id = ${mailboxId}
    join projects p on p.id = ${projectId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  const { digest, authentication, spam, spamLevel, octets, threadId, sentBy } = row;
  return { summary: summaryOf(row), threadId, digest, octets, authentication, spam, spamLevel, sentBy };
}
