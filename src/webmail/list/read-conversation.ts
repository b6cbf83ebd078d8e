/** Reads a conversation with a summary of each message. */
import type { MailConversation, MailMessageSummary } from '../../contract/mail/conversations.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { FLAG } from '../../store/flags.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { STORED_MESSAGE } from '../../store/read-messages.ts';
import { readAnswers } from './answers.ts';
import { personOf } from './conversation-rows.ts';
import { conversationSubject } from './conversation-subject.ts';
import { MESSAGES_END } from './cursors.ts';
import { marksOf } from '../labels/keywords.ts';
import { JOIN_SNOOZED } from './thread-messages.ts';

const PAGE = 200;
/** The keyword that mail apps set on forwarded messages (RFC 9051, section 2.3.2). */
const FORWARDED = '$forwarded';

export const SUMMARY = columnsOf({
  objectId: 'uuid',
  /** The time of receipt in microseconds since 1970. */
  receivedAt: 'text',
  folderIds: 'uuid[]',
  octets: 'int4',
  isSeen: 'bool',
  flags: 'int2',
  keywords: 'text[]',
  messageId: 'text?',
  subject: 'text',
  addresses: STORED_MESSAGE.kinds.addresses,
  sentAt: 'timestamptz?',
  preview: 'text',
  attachments: 'int4',
});
const SUMMARY_OF_MANY = columnsOf({ ...SUMMARY.kinds, total: 'int4' });

/**
 * @param cursor continues from the page with the newer messages; null for the last page
 * @returns null if there is no message in the thread
 */
export async function readConversation(
  database: Database,
  mailbox: MailboxKey,
  threadId: string,
  cursor: string | null,
): Promise<MailConversation | null> {
  const { projectId, mailboxId } = mailbox;
  const before = cursor === null ? null : MESSAGES_END.decode(cursor);
  const { rows } = await SUMMARY_OF_MANY.sql`
    with each as materialized (
      select m.object_id, min(coalesce(s.received_at, m.internal_date)) as received_at, array_agg(m.folder_id order by m.folder_id) as folder_ids,
        min(m.octets) as octets, bit_and(m.flags & 1) = 1 as is_seen, bit_or(m.flags) as flags,
        array_remove(string_to_array(string_agg(array_to_string(m.keywords, ' '), ' '), ' '), '') as keywords
      from message_contents c
      join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
      join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id and f.name is not null
      ${JOIN_SNOOZED}
      where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.thread_id = ${threadId}
      group by m.object_id
    ), page as (
      select * from each where ${before === null}::bool or (received_at, object_id) < (
        timestamptz 'epoch' + ${before?.micros ?? '0'}::int8 * interval '1 microsecond', ${before?.id ?? null}::uuid)
      order by received_at desc, object_id desc limit ${PAGE + 1}
    )
    select p.object_id, (extract(epoch from p.received_at) * 1000000)::int8::text as received_at, p.folder_ids, p.octets, p.is_seen,
      p.flags, p.keywords, c.message_id, c.subject, c.addresses, c.sent_at, c.preview, c.attachments,
      (select count(*)::int from each) as total
    from page p cross join lateral (
      select * from message_contents c
      where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = p.object_id limit 1) c
    order by p.received_at desc, p.object_id desc`.execute(database);
  const shown = rows.slice(0, PAGE);
  const oldest = shown.at(-1);
  if (oldest === undefined) return null;
  const answerOf = await readAnswers(database, mailbox, [threadId]);
  return {
    id: encodeId('thr', threadId),
    subject: conversationSubject(oldest.subject),
    total: oldest.total,
    messages: shown.reverse().map((row) => ({
      ...summaryOf(row),
      answered_by: answerOf({ ...row, threadId, receivedAt: receivedAtOf(row) }),
    })),
    previous:
      rows.length > PAGE ? MESSAGES_END.encode({ micros: oldest.receivedAt, id: oldest.objectId }) : null,
  };
}

function receivedAtOf({ receivedAt }: Pick<RowOf<typeof SUMMARY>, 'receivedAt'>): Date {
  return new Date(Number(receivedAt) / 1_000);
}

export function summaryOf(row: RowOf<typeof SUMMARY>): MailMessageSummary {
  const { from, to, cc, bcc, replyTo } = row.addresses;
  const has = (bit: number) => (row.flags & bit) !== 0;
  return {
    id: encodeId('msg', row.objectId),
    message_id: row.messageId,
    folders: row.folderIds.map((id) => encodeId('fld', id)),
    from: from.map(personOf),
    to: to.map(personOf),
    cc: cc.map(personOf),
    bcc: bcc.map(personOf),
    reply_to: replyTo.map(personOf),
    subject: row.subject,
    date: row.sentAt?.toISOString() ?? null,
    received_at: receivedAtOf(row).toISOString(),
    preview: row.preview,
    seen: row.isSeen,
    starred: has(FLAG.flagged),
    ...marksOf(row.keywords),
    answered: has(FLAG.answered),
    forwarded: row.keywords.some((keyword) => keyword.toLowerCase() === FORWARDED),
    draft: has(FLAG.draft),
    octets: row.octets,
    files: row.attachments,
  };
}
