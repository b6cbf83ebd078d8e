import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../in-folder.ts';
import { messagesIn, type UidRange } from '../uid-ranges.ts';

/** What threads of a folder are made from. */
export interface ReplyingMessage {
  uid: number;
  /** With its angle brackets. */
  messageId: string | null;
  /** The ids that it answers, the oldest first (RFC 5256, section 3). */
  ancestors: string[];
  subject: string;
  baseSubject: string;
  /** When it was sent, or received where it does not say; milliseconds since 1970. */
  sentAtMs: number;
}

/** A statement of some 5 ms. Attack: of each message the ids may be 64 KiB. */
const SLICE = 500;

/** By their UIDs, in order, at most 500: who wants more asks again behind the last. */
export async function readReplies(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<ReplyingMessage[]> {
  const { rows } = await sql<ReplyingMessage>`
    select m.uid, c.message_id, coalesce(c.ancestors, '{}') as ancestors, c.subject, c.base_subject,
      (extract(epoch from coalesce(c.sent_at, m.internal_date)) * 1000)::float8 as sent_at_ms
    from (select m.* from ${messagesIn(folder, ranges, SLICE)} limit ${SLICE}) m
    cross join lateral (
      select * from message_contents c
      where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c
    order by m.uid`.execute(database);
  return rows;
}
