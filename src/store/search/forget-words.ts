/** The words of mail that is deleted leave the index, once it is mostly about such mail (docs/decisions/0044-search-by-words.md). */
import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { MESSAGE_PARTS } from './message-parts.ts';

interface CountedRange extends MailboxKey {
  firstObjectId: string;
  documents: number;
  alive: number;
}

/** Segments that one statement looks at: it counts the messages of each by an index. */
const SLICE = 8;

/**
 * Deletes a segment most of whose messages are gone, and those behind it: what no segment covers must be behind all segments. It is looked through, and made anew
 * when somebody searches. Yields how many went.
 */
export async function* forgettingWords(database: Database): AsyncGenerator<number, void, void> {
  let last = { projectId: NIL_UUID, mailboxId: NIL_UUID, firstObjectId: NIL_UUID };
  for (;;) {
    // The segments of all parts are about the same messages.
    const { rows } = await sql<CountedRange>`
      select s.project_id, s.mailbox_id, s.first_object_id, s.documents, (
        select count(*)::int from message_contents c where c.project_id = s.project_id and c.mailbox_id = s.mailbox_id
          and c.object_id between s.first_object_id and s.last_object_id) as alive
      from search_segments s
      where s.part = ${MESSAGE_PARTS[0]}
        and (s.project_id, s.mailbox_id, s.first_object_id) > (${last.projectId}::uuid, ${last.mailboxId}::uuid, ${last.firstObjectId}::uuid)
      order by s.project_id, s.mailbox_id, s.first_object_id limit ${SLICE}`.execute(database);
    for (const { projectId, mailboxId, firstObjectId, documents, alive } of rows) {
      if (alive * 2 >= documents) continue;
      const { numAffectedRows } = await sql`
        delete from search_segments where project_id = ${projectId} and mailbox_id = ${mailboxId}
          and last_object_id >= ${firstObjectId}::uuid`.execute(database);
      yield Number(numAffectedRows ?? 0);
    }
    const end = rows.at(-1);
    if (end === undefined || rows.length < SLICE) return;
    last = end;
    yield rows.length;
  }
}
