/** Reads the message data that rows of conversation lists need. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { uuidArray } from '../../db/arrays.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';

/** A copy of a message in a folder. */
export interface ThreadMessage {
  objectId: string;
  folderId: string;
  uid: number;
  flags: number;
  keywords: string[];
  /** When the message returns from Snoozed, or has returned. Null: it was not snoozed. */
  snoozedUntil: string | null;
  /** The time of receipt in milliseconds since 1970. */
  receivedAtMs: number;
  attachments: number;
  /** The first author. */
  from: MessageFacts['from'][number] | null;
}

/**
 * The maximum number of messages read per conversation. Rows ignore further messages. Attack: thousands of messages that reply to the same
 * message.
 */
export const MAX_MESSAGES = 500;

/** Joins the row of a message `m` that was snoozed. */
export const JOIN_SNOOZED = sql.raw(`left join snoozed_messages s
  on s.project_id = m.project_id and s.mailbox_id = m.mailbox_id and s.object_id = m.object_id`);
/** The row counts only after the message has returned, or while it is in Snoozed: a mail app may have moved it elsewhere. */
const SNOOZED_UNTIL = sql.raw(
  'case when s.woken_at is not null or s.folder_id = m.folder_id then s.until end',
);

const THREAD = columnsOf({ threadId: 'uuid', messages: shaped<ThreadMessage[] | null>('json?') });

/** @param folderIds limits the messages to these folders @returns messages by thread, newest first */
export async function readThreadMessages(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  threadIds: readonly string[],
  folderIds: readonly string[],
): Promise<Map<string, ThreadMessage[]>> {
  const { rows } = await THREAD.sql`
    select t.thread_id, (
      select json_agg(json_build_object('objectId', n.object_id, 'folderId', n.folder_id, 'uid', n.uid, 'flags', n.flags,
        'keywords', n.keywords, 'snoozedUntil', n.snoozed_until,
        'receivedAtMs', (extract(epoch from n.internal_date) * 1000)::float8, 'attachments', n.attachments, 'from', n.author)
        order by n.internal_date desc, n.uid desc)
      from (
        select m.object_id, m.folder_id, m.uid, m.flags, m.keywords, m.internal_date, c.attachments,
          c.addresses -> 'from' -> 0 as author, ${SNOOZED_UNTIL} as snoozed_until
        from message_contents c
        join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
        ${JOIN_SNOOZED}
        where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.thread_id = t.thread_id
          and m.folder_id = any(${uuidArray(folderIds)}::uuid[])
        limit ${MAX_MESSAGES}) n) as messages
    from unnest(${uuidArray(threadIds)}::uuid[]) t (thread_id)`.execute(database);
  return new Map(rows.map(({ threadId, messages }) => [threadId, messages ?? []]));
}

const NEWEST_OF_THREAD = columnsOf({
  threadId: 'uuid',
  objectId: 'uuid',
  messageId: 'text?',
  flags: 'int2',
  receivedAt: 'timestamptz',
  subject: 'text',
  preview: 'text',
  to: shaped<MessageFacts['to']>('json'),
});
/** The data of a conversation's newest message that a row shows. */
export type NewestMessage = Omit<RowOf<typeof NEWEST_OF_THREAD>, 'threadId'>;

/** @param positions the folder and UID of each message @returns messages by thread */
export async function readNewest(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  positions: readonly { threadId: string; folderId: string; uid: number }[],
): Promise<Map<string, NewestMessage>> {
  const { rows } = await NEWEST_OF_THREAD.sql`
    select p.thread_id, m.object_id, c.message_id, m.flags, m.internal_date as received_at, c.subject, c.preview, c.addresses -> 'to' as "to"
    from unnest(${uuidArray(positions.map(({ threadId }) => threadId))}::uuid[],
      ${uuidArray(positions.map(({ folderId }) => folderId))}::uuid[], ${positions.map(({ uid }) => uid)}::int[]) p (thread_id, folder_id, uid)
    join messages m on m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = p.folder_id and m.uid = p.uid
    cross join lateral (
      select * from message_contents c
      where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`.execute(
    database,
  );
  return new Map(rows.map(({ threadId, ...newest }) => [threadId, newest]));
}
