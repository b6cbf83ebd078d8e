import { sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';

/** The retention of records of replies: the longest period in which a sender gets only one reply, plus a day. */
const RETENTION_MS = 31 * 24 * 3_600_000;
const BATCH = 1_000;

/** Deletes records of replies that no longer keep their senders from getting another reply. */
export async function* deletingOldReplyRecords(database: Database): AsyncGenerator<number, void, void> {
  const before = new Date(clock.nowMs() - RETENTION_MS);
  for (let deleted = BATCH; deleted === BATCH; yield deleted) {
    const { numAffectedRows } = await sql`
      delete from vacation_answers where ctid = any (array(
        select ctid from vacation_answers where answered_at < ${before} limit ${BATCH}))`.execute(database);
    deleted = Number(numAffectedRows ?? 0n);
  }
}
