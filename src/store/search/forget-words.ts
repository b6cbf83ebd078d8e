/**
 * Removes the words of deleted mail from the index when most messages in a segment are deleted (docs/decisions/0044-search-by-words.md).
 */
import { sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import { MAILBOX_KEY, type MailboxKey } from '../lock-mailboxes.ts';
import { lockSegments } from './lock-segments.ts';
import { MESSAGE_PARTS } from './message-parts.ts';

const COUNTED_RANGE = columnsOf({
  ...MAILBOX_KEY.kinds,
  firstObjectId: 'uuid',
  documents: 'int4',
  alive: 'int4',
});

/** Segments checked per statement. The statement counts the messages of each segment with an index. */
const SLICE = 8;

/**
 * Deletes segments whose messages are mostly deleted, and all later segments, because messages without a segment must come after all
 * segments. The remaining messages are then scanned, and indexed again when a user searches.
 * @yields the number of deleted segments
 */
export async function* forgettingWords(database: Database): AsyncGenerator<number, void, void> {
  let last = { projectId: NIL_UUID, mailboxId: NIL_UUID, firstObjectId: NIL_UUID };
  for (;;) {
    // The segments of all parts cover the same messages, so checking one part is enough.
    const { rows } = await COUNTED_RANGE.sql`
      select s.project_id, s.mailbox_id, s.first_object_id, s.documents, (
        select count(*)::int from message_contents c where c.project_id = s.project_id and c.mailbox_id = s.mailbox_id
          and c.object_id between s.first_object_id and s.last_object_id) as alive
      from search_segments s
      where s.part = ${MESSAGE_PARTS[0]}
        and (s.project_id, s.mailbox_id, s.first_object_id) > (${last.projectId}::uuid, ${last.mailboxId}::uuid, ${last.firstObjectId}::uuid)
      order by s.project_id, s.mailbox_id, s.first_object_id limit ${SLICE}`.execute(database);
    for (const { documents, alive, firstObjectId, ...key } of rows)
      if (alive * 2 < documents) yield await forgetFrom(database, key, firstObjectId);
    const end = rows.at(-1);
    if (end === undefined || rows.length < SLICE) return;
    last = end;
    yield rows.length;
  }
}

const DELETED = columnsOf({ first: 'uuid' });

/**
 * Deletes all segments that cover the given message or later messages. After an aborted indexing run, the segments of the parts
 * (`MessagePart`) may have different boundaries. The index of every part must end at the same message, because the next segments of all
 * parts begin after it.
 */
async function forgetFrom(database: Database, key: MailboxKey, firstObjectId: string): Promise<number> {
  const isOfMailbox = sql`project_id = ${key.projectId} and mailbox_id = ${key.mailboxId}`;
  return database.transaction().execute(async (tx) => {
    await lockSegments(tx, key);
    let gone = 0;
    for (let from: string | undefined = firstObjectId; from !== undefined; ) {
      const { rows } = await DELETED.sql`
        delete from search_segments where ${isOfMailbox} and last_object_id >= ${from}::uuid
        returning first_object_id as first`.execute(tx);
      gone += rows.length;
      from = rows.map(({ first }) => first).sort()[0];
    }
    return gone;
  });
}
