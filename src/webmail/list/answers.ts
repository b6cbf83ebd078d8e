/**
 * Finds out which member of a shared mailbox answered a message. Nothing is stored for this: the copy of an answer in Sent names the member
 * (`sent_by`) and the message that it answers.
 */
import { type RawBuilder, sql } from 'kysely';
import type { MailAnswer } from '../../contract/mail/conversations.ts';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { mailboxKey } from '../../mailboxes/local-part.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import { inReplyToOf } from '../../rfc/imap/envelope.ts';
import { readMessageIds } from '../../rfc/message/message-ids.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { MAX_MESSAGES } from './thread-messages.ts';

/** In-Reply-To and Message-ID are the last values of an envelope. Longer ones name no message that is answered. */
const MAX_ENVELOPE_END = 4_000;

const COPY = columnsOf({
  threadId: 'uuid',
  /** The last characters of the envelope. A forward has References as well, so only In-Reply-To tells what was answered. */
  envelopeEnd: 'text',
  sentBy: 'text',
  sentAt: 'timestamptz',
});

interface AnsweredMessage {
  threadId: string;
  messageId: string | null;
  receivedAt: Date;
}

/** The latest answer to a message. Null: no member has answered the message. */
export type AnswerOf = (message: AnsweredMessage) => MailAnswer | null;

/** Whether a mailbox can have answers: it is or was shared. All other mailboxes are spared the search for answers. */
export function mayHaveAnswers({ projectId, mailboxId }: MailboxKey): RawBuilder<boolean> {
  return sql`(
    select b.is_shared or b.unshared_at is not null or exists (
      select from mailbox_grants g where g.project_id = b.project_id and g.mailbox_id = b.id)
    from mailboxes b where b.project_id = ${projectId} and b.id = ${mailboxId})`;
}

/** Reads the answers of some threads. */
export async function readAnswers(
  database: Database,
  mailbox: MailboxKey,
  threadIds: readonly string[],
): Promise<AnswerOf> {
  const { projectId, mailboxId } = mailbox;
  const { rows } = await COPY.sql`
    select t.thread_id, a.envelope_end, a.sent_by, p.sent_at
    from unnest(${uuidArray(threadIds)}::uuid[]) t (thread_id)
    cross join lateral (
      select n.object_id, right(n.envelope, ${MAX_ENVELOPE_END}) as envelope_end, n.sent_by
      from (
        select c.object_id, c.envelope, c.sent_by from message_contents c
        where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.thread_id = t.thread_id
        limit ${MAX_MESSAGES}) n
      where n.sent_by is not null) a
    cross join lateral (
      select min(m.internal_date) as sent_at from messages m
      join folders f on f.project_id = m.project_id and f.mailbox_id = m.mailbox_id and f.id = m.folder_id and f.name is not null
      where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = a.object_id) p
    where p.sent_at is not null and ${mayHaveAnswers(mailbox)}
    order by p.sent_at`.execute(database);
  if (rows.length === 0) return () => null;
  const members = await readMembers(database, projectId, new Set(rows.map(({ sentBy }) => sentBy)));
  const latest = new Map<string, RowOf<typeof COPY>>();
  for (const row of rows)
    for (const id of readMessageIds(inReplyToOf(row.envelopeEnd) ?? '', 1))
      latest.set(`${row.threadId} ${id}`, row);
  return ({ threadId, messageId, receivedAt }) => {
    const row = latest.get(`${threadId} ${messageId ?? ''}`);
    // Attack: a later message repeats the Message-ID of an answered message, so that members take it for answered.
    if (row === undefined || row.sentAt < receivedAt) return null;
    const { sentBy: address, sentAt } = row;
    const member = members.get(address);
    // A mailbox that was created later with the address of the member belongs to someone else.
    const name = member !== undefined && member.createdAt <= sentAt ? member.displayName : null;
    return { address, name, at: sentAt.toISOString() };
  };
}

const MEMBERS = rowsOf<{ address: string; domain: string; key: string }>('k', {
  address: ['text', ({ address }) => address],
  domain: ['text', ({ domain }) => domain],
  local_part_key: ['text', ({ key }) => key],
});
const MEMBER = columnsOf({ address: 'text', displayName: 'text?', createdAt: 'timestamptz' });

/** The mailboxes of a project that have some addresses now, by address. */
async function readMembers(
  database: Database,
  projectId: string,
  addresses: ReadonlySet<string>,
): Promise<ReadonlyMap<string, RowOf<typeof MEMBER>>> {
  const members = [...addresses].flatMap((address) => {
    const parsed = parseMailbox(address);
    return 'error' in parsed ? [] : [{ address, domain: parsed.domain, key: mailboxKey(parsed.localPart) }];
  });
  const { rows } = await MEMBER.sql`
    select k.address, m.display_name, m.created_at from ${MEMBERS.from(members)}
    join mailboxes m on m.project_id = ${projectId} and m.domain = k.domain and m.local_part_key = k.local_part_key`.execute(
    database,
  );
  return new Map(rows.map((row) => [row.address, row]));
}
