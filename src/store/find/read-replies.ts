import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../in-folder.ts';
import { messagesIn, type UidRange } from '../uid-ranges.ts';

const REPLYING_MESSAGE = columnsOf({
  uid: 'int4',
  /** With its angle brackets. */
  messageId: 'text?',
  /** The ids that it answers, the oldest first (RFC 5256, section 3). */
  ancestors: 'text[]',
  subject: 'text',
  baseSubject: 'text',
  /** When it was sent, or received where it does not say; milliseconds since 1970. */
  sentAtMs: 'float8',
});
/** What threads of a folder are made from. */
export type ReplyingMessage = RowOf<typeof REPLYING_MESSAGE>;

/** A statement of some 5 ms. Attack: of each message the ids may be 64 KiB. */
const SLICE = 500;

/** By their UIDs, in order, at most 500: who wants more asks again behind the last. */
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
