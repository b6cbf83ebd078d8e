import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { firstUuidAt, NIL_UUID } from '../../model/ids.ts';
import type { RowKey } from '../../queue/fragments.ts';
import { recordEvents } from '../events/record-events.ts';
import { failedUnsent } from './outcome-events.ts';

/** Recipients that are withdrawn in one transaction. */
const BATCH_ROWS = 500;

/** All that have work left, by the two indexes that find them. */
const WAITING = [sql`next_attempt_at < 'infinity'`, sql`next_attempt_at = 'infinity'`];

/** How many recipients have work left, and how many of these are of emails that were accepted before a time. */
export async function countWaiting(
  database: Database,
  before: Date | null,
): Promise<{ all: number; older: number }> {
  const bound = before === null ? NIL_UUID : firstUuidAt(before);
  const counted = { all: 0, older: 0 };
  for (const which of WAITING) {
    const { rows } = await sql<typeof counted>`
      select count(*)::float8 as all, count(*) filter (where email_id < ${bound})::float8 as older
      from email_recipients where ${which}`.execute(database);
    for (const { all, older } of rows) {
      counted.all += all;
      counted.older += older;
    }
  }
  return counted;
}

/**
 * Takes off the queue what is left of emails that were accepted before a time, and says so on their timelines (`failed`, reason
 * `withdrawn`). A worker that has one of them in flight writes nothing of it any more.
 * @returns how many recipients
 */
export async function withdrawOlder(database: Database, than: Date): Promise<number> {
  let withdrawn = 0;
  for (const which of WAITING) {
    let rows: number;
    do {
      rows = await withdrawSome(database, sql`${which} and email_id < ${firstUuidAt(than)}`);
      withdrawn += rows;
    } while (rows > 0);
  }
  return withdrawn;
}

function withdrawSome(database: Database, which: RawBuilder<unknown>): Promise<number> {
  return database.transaction().execute(async (tx) => {
    const { rows } = await sql<RowKey & { address: string }>`
      with older as (
        select project_id, email_id, recipient_index from email_recipients where ${which} limit ${sql.lit(BATCH_ROWS)} for no key update
      )
      update email_recipients r set next_attempt_at = null, lease_id = null, in_flight = false, destination = null
      from older where r.project_id = older.project_id and r.email_id = older.email_id and r.recipient_index = older.recipient_index
      returning r.project_id, r.email_id, r.recipient_index, r.address`.execute(tx);
    const changes = rows.map((row) => ({ ...row, events: [failedUnsent(row, 'withdrawn')] }));
    if (changes.length > 0) await recordEvents(tx, changes);
    return rows.length;
  });
}
