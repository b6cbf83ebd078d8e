import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../in-folder.ts';
import { messagesIn, type UidRange, unpackUids } from '../uid-ranges.ts';

/** The data of messages from which threads are built. Each list has a value for each message, in the order of the UIDs. */
export interface ReplyingMessages {
  uids: Uint32Array;
  /** The Message-IDs with their angle brackets. Empty for a message without Message-ID. */
  messageIds: readonly string[];
  /** The ids of the messages to which each message replies, oldest first, separated by spaces (RFC 5256, section 3). */
  ancestors: readonly string[];
  subjects: readonly string[];
  baseSubjects: readonly string[];
  /** The times in the Date fields, or the time of receipt of messages without a date. In seconds since 1970. */
  sentAt: Float64Array;
}

/**
 * Messages per statement, which takes about 5 ms. Attack: messages that each have 64 KiB of ids. This limits the memory that their ids
 * take.
 */
const SLICE = 500;

/** One row with a list for each column, because thousands of rows would take three times as long to read. */
const LISTS = columnsOf({
  uids: 'bytea?',
  messageIds: 'text?',
  ancestors: 'text?',
  subjects: 'text?',
  baseSubjects: 'text?',
  sentAt: 'bytea?',
});

/** Reads at most 500 messages, sorted by UID. The caller continues after the last UID of the result. */
export async function readReplies(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
): Promise<ReplyingMessages> {
  // An LF separates the values in each list. Ids and base subjects contain no LF. A subject may contain an encoded LF, which is replaced.
  const { rows } = await LISTS.sql`
    select string_agg(int4send(m.uid), ''::bytea) as uids, string_agg(coalesce(c.message_id, ''), E'\\n') as message_ids,
      string_agg(coalesce(array_to_string(c.ancestors, ' '), ''), E'\\n') as ancestors,
      string_agg(translate(c.subject, E'\\n', ' '), E'\\n') as subjects, string_agg(c.base_subject, E'\\n') as base_subjects,
      string_agg(float8send(date_part('epoch', coalesce(c.sent_at, m.internal_date))), ''::bytea) as sent_at
    from (select m.* from ${messagesIn(folder, ranges, SLICE)} limit ${SLICE}) m
    cross join lateral (
      select * from message_contents c
      where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`.execute(
    database,
  );
  const [row] = rows;
  const lines = (text: string | null | undefined): string[] => text?.split('\n') ?? [];
  return {
    uids: unpackUids(row?.uids == null ? [] : [row.uids]),
    messageIds: lines(row?.messageIds),
    ancestors: lines(row?.ancestors),
    subjects: lines(row?.subjects),
    baseSubjects: lines(row?.baseSubjects),
    sentAt: unpackTimes(row?.sentAt ?? Buffer.alloc(0)),
  };
}

/** Unpacks numbers that PostgreSQL packed with `float8send`. */
function unpackTimes(packed: Buffer): Float64Array {
  const times = new Float64Array(packed.length / Float64Array.BYTES_PER_ELEMENT);
  const octets = Buffer.from(times.buffer);
  packed.copy(octets);
  // PostgreSQL's numbers are big-endian.
  octets.swap64();
  return times;
}
