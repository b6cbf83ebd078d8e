/** Deletes the mail of deleted mailboxes in the background, in batches. */
import { sql } from 'kysely';
import { recordingStorage } from '../accounts/usage.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { MailboxKey } from './lock-mailboxes.ts';

/** Rows deleted per transaction. */
const BATCH = 500;

/**
 * Deletes the remaining rows of a mailbox that no longer exists. Each batch of messages reduces the counted storage of the project. The
 * blob sweep deletes the blobs later.
 * @yields the number of rows in each batch
 */
export async function* deletingMail(
  database: Database,
  mailbox: MailboxKey,
): AsyncGenerator<number, void, void> {
  for (const table of [
    'messages',
    'conversations',
    'message_contents',
    'thread_links',
    'expunged',
    'source_messages',
  ] as const) {
    for (let deleted = BATCH; deleted === BATCH; yield deleted)
      deleted = await deleteSome(database, table, mailbox);
  }
}

const DELETED = columnsOf({ deleted: 'int4', octets: 'float8' });

function deleteSome(
  database: Database,
  table: string,
  { projectId, mailboxId }: MailboxKey,
): Promise<number> {
  return database.transaction().execute(async (tx) => {
    // Selecting the rows by ctid is safe, because nothing else changes the rows of a deleted mailbox. The table names are constants.
    const { rows } = await DELETED.sql`
      with gone as (
        delete from ${sql.table(table)} where project_id = ${projectId} and mailbox_id = ${mailboxId} and ctid = any (array(
          select ctid from ${sql.table(table)} where project_id = ${projectId} and mailbox_id = ${mailboxId}
          limit ${BATCH}))
        returning ${table === 'messages' ? sql`octets` : sql`0 as octets`}
      )
      select count(*)::int as deleted, coalesce(sum(octets), 0)::float8 as octets from gone`.execute(tx);
    const { deleted, octets } = rows[0] ?? { deleted: 0, octets: 0 };
    if (octets > 0) await sql`with ${recordingStorage(new Map([[projectId, -octets]]))} select`.execute(tx);
    return deleted;
  });
}
