import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../in-folder.ts';
import { messagesIn, type UidRange } from '../uid-ranges.ts';

const REPLYING_MESSAGE = columnsOf({
  uid: 'int4',
  /** The Message-ID with its angle brackets. */
  messageId: 'text?',
  /** The ids of the messages to which this one replies, oldest first (RFC 5256, section 3). */
  ancestors: 'text[]',
  subject: 'text',
  baseSubject: 'text',
  /** The time in the Date field, or the time of receipt if the message has no date. In milliseconds since 1970. */
  sentAtMs: 'float8',
});
/** The data of a message from which threads are built. */
export type ReplyingMessage = RowOf<typeof REPLYING_MESSAGE>;

/** Messages per statement. A statement takes about 5 ms. Limits memory against an attack: the ids of each message may have 64 KiB. */
const SLICE = 500;

/** Reads at most 500 messages, sorted by UID. The caller continues after the last UID of the result. */
export async function readReplies(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<ReplyingMessage[]> {
  const { rows } = await REPLYING_MESSAGE.sql`
    select m.uid, c.message_id, coalesce(c.ancestors, '{}') as ancestors, c.subject, c.base_subject,
      (extract(epoch from coalesce(c.sent_at, m.internal_date)) * 1000)::float8 as sent_at_ms
    from (select m.* from ${messagesIn(folder, ranges, SLICE)} limit ${SLICE}) m
    cross join lateral (
      select * from message_contents c
      where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c
    order by m.uid`.execute(database);
  return rows;
}
