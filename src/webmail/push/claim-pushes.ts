/** Finds the browsers to notify of new mail, and what to tell them. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import { uuidArray } from '../../db/arrays.ts';
import type { Database } from '../../db/database.ts';
import { WEB_SESSION_LIVES } from '../../mailboxes/sign-in/web-sessions.ts';
import type { PushMessage } from '../../contract/mail/push.ts';
import { encodeId } from '../../model/ids.ts';
import { FLAG } from '../../store/flags.ts';
import type { MessageFacts } from '../../store/facts/message-facts.ts';
import { TIMINGS } from './timings.ts';

const CLAIMED = columnsOf({
  projectId: 'uuid',
  mailboxId: 'uuid',
  sessionId: 'uuid',
  targetSealed: 'text',
  vapidKey: 'text',
  withContent: 'bool',
  attempts: 'int2',
  address: 'text',
  folderId: 'uuid',
  unread: 'int4',
  /** The UIDs from which, and up to which, messages are new. */
  since: 'int4',
  until: 'int4',
});
export type ClaimedPush = RowOf<typeof CLAIMED>;

/** The maximum number of subscriptions of a mailbox in one batch, so that a mailbox with many slow browsers cannot fill it. */
const AT_ONCE_OF_MAILBOX = 4;
/** The maximum number of new messages that are counted. */
const MAX_COUNTED = 99;
/** The maximum number of messages that an action of a notification applies to. */
const MAX_TARGETS = 20;
const MAX_NAME = 100;
const MAX_SUBJECT = 200;

/** Subscriptions to check: those of some mailboxes, those whose last attempt failed, or all. */
export type Checked = { mailboxIds: readonly string[] } | 'failed' | 'all';

function conditionOf(checked: Checked): RawBuilder<unknown> {
  if (checked === 'all') return sql`true`;
  if (checked === 'failed') return sql`s.attempts > 0`;
  return sql`s.mailbox_id = any(${uuidArray(checked.mailboxIds)}::uuid[])`;
}

/**
 * Claims subscriptions of living sessions whose Inbox has new messages. The claim already records the messages as reported, so no process
 * reports them again. If the process is killed before it has sent the notification, this notification is lost.
 */
export async function claimPushes(
  database: Database,
  checked: Checked,
  limit: number,
): Promise<ClaimedPush[]> {
  const { rows } = await CLAIMED.sql`
    with due as (
      select s.project_id, s.mailbox_id, s.session_id, s.notified_uid as since, f.id as folder_id, f.uid_next, f.unseen,
        m.local_part || '@' || m.domain as address,
        row_number() over (partition by s.project_id, s.mailbox_id order by s.next_at) as place
      from push_subscriptions s
      join web_sessions w on w.project_id = s.project_id and w.mailbox_id = s.mailbox_id and w.id = s.session_id
      join mailboxes m on m.project_id = s.project_id and m.id = s.mailbox_id
      join folders f on f.project_id = s.project_id and f.mailbox_id = s.mailbox_id and f.role = 'inbox'
      where ${conditionOf(checked)} and s.next_at <= now() and s.notified_uid < f.uid_next and ${WEB_SESSION_LIVES}
    ), locked as materialized (
      select s.project_id, s.mailbox_id, s.session_id
      from push_subscriptions s join due using (project_id, mailbox_id, session_id)
      -- Checked again for rows that another process has just claimed.
      where due.place <= ${AT_ONCE_OF_MAILBOX} and s.next_at <= now() and s.notified_uid < due.uid_next
      order by s.next_at limit ${limit} for no key update of s skip locked
    )
    update push_subscriptions s
    set notified_uid = due.uid_next, next_at = now() + ${TIMINGS.restMs} * interval '1 millisecond'
    from locked join due using (project_id, mailbox_id, session_id)
    where s.project_id = due.project_id and s.mailbox_id = due.mailbox_id and s.session_id = due.session_id
    returning s.project_id, s.mailbox_id, s.session_id, s.target_sealed, s.vapid_key, s.with_content, s.attempts,
      due.address, due.folder_id, due.unseen as unread, due.since, due.uid_next as until`.execute(database);
  return rows;
}

const NEW = columnsOf({
  objectId: 'uuid',
  threadId: 'uuid',
  subject: 'text',
  author: shaped<MessageFacts['from'][number] | null>('json?'),
});

/**
 * The notification of the new messages; null if none of them is new to the user, because they were read, moved here or imported. Only the
 * Inbox is read, so mail in Junk is never reported.
 */
export async function composePush(database: Database, claimed: ClaimedPush): Promise<PushMessage | null> {
  const { projectId, mailboxId, folderId, since, until } = claimed;
  const { rows } = await NEW.sql`
    select m.object_id, c.thread_id, c.subject, c.addresses -> 'from' -> 0 as author
    from messages m
    cross join lateral (
      select * from message_contents c
      where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c
    where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
      and m.uid >= ${since} and m.uid < ${until}
      and m.flags & ${FLAG.seen | FLAG.deleted | FLAG.draft} = 0
      and m.internal_date > now() - ${TIMINGS.freshMs} * interval '1 millisecond'
    order by m.uid desc limit ${MAX_COUNTED}`.execute(database);
  const [newest] = rows;
  if (newest === undefined) return null;
  const isOne = rows.every(({ threadId }) => threadId === newest.threadId);
  const { author } = newest;
  return {
    kind: 'mail',
    mailbox: encodeId('mbx', mailboxId),
    address: claimed.address,
    unread: claimed.unread,
    count: rows.length,
    shown: claimed.withContent
      ? {
          from: short(author?.name || author?.address || '', MAX_NAME),
          subject: short(newest.subject, MAX_SUBJECT),
        }
      : null,
    target: isOne
      ? {
          folder: encodeId('fld', folderId),
          conversation: encodeId('thr', newest.threadId),
          messages: rows.slice(0, MAX_TARGETS).map(({ objectId }) => encodeId('msg', objectId)),
        }
      : null,
  };
}

/**
 * The beginning of a text in one line. Attack: characters that turn the direction of the text around could make the subject look like the
 * name of another sender.
 */
function short(text: string, length: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Bidi_Control}\s]+/gu, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length).toWellFormed()}…`;
}
