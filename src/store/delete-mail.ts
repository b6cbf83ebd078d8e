/** The mail of a mailbox that was deleted goes in the background, in batches. */
import { sql } from 'kysely';
import { recordingStorage } from '../accounts/usage.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { MailboxKey } from './lock-mailboxes.ts';

/** So many rows go in a transaction. */
const BATCH = 500;

/**
 * Deletes all that is left of a mailbox that is not there any more. Bytes are given back with the messages that had them; the
 * blobs are found by whoever sweeps them.
 * @yields how many rows a batch had
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
    // No constraint looks for the rows: they have lost their mailbox, and nobody else changes them. The names of tables are ours.
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
