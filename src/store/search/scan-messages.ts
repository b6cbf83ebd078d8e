/** Scans messages in a mailbox for a text: messages without a segment, and candidates that the index cannot confirm. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { ID_OCTETS, packedUuidArray } from './object-ids.ts';

export interface TextMatch {
  /**
   * The packed `object_id`s of the messages (`object-ids.ts`), unordered, without duplicates. Some of the messages may have been deleted
   * since.
   */
  ids: Buffer;
  /** The number of messages that no segment covers. */
  unindexed: number;
}

const VERIFIED_AT_A_TIME = 2_000;
/** Messages scanned per statement. Such a statement takes a few tenths of a second. */
const SCANNED_AT_A_TIME = 10_000;

/**
 * Scans all messages without a segment.
 * @param has the condition on the row `c` of `message_contents`
 * @param last the last message that a segment covers
 */
export async function scanUnindexed(
  database: Database,
  key: MailboxKey,
  has: RawBuilder<boolean>,
  last: string,
  tick: () => void,
): Promise<TextMatch> {
  const rest = await scan(database, key, has, sql`not is_late and object_id > ${last}`, tick);
  const late = await scan(database, key, has, sql`is_late`, tick);
  return { ids: Buffer.concat([rest.ids, late.ids]), unindexed: rest.unindexed };
}

const SCANNED = columnsOf({ ids: 'bytea?', count: 'int4', last: 'uuid?' });

async function scan(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  has: RawBuilder<boolean>,
  which: RawBuilder<unknown>,
  tick: () => void,
): Promise<TextMatch> {
  const found: Buffer[] = [];
  let unindexed = 0;
  for (let after = NIL_UUID; ; ) {
    tick();
    const { rows } = await SCANNED.sql`
      select string_agg(uuid_send(object_id), ''::bytea) filter (where ${has}) as ids, count(*)::int as count,
        (array_agg(object_id order by object_id desc))[1] as last
      from (
        select * from message_contents
        where project_id = ${projectId} and mailbox_id = ${mailboxId} and ${which} and object_id > ${after}
        order by object_id limit ${SCANNED_AT_A_TIME}) c`.execute(database);
    const [row] = rows;
    if (row === undefined || row.last === null) break;
    found.push(row.ids ?? Buffer.alloc(0));
    unindexed += row.count;
    if (row.count < SCANNED_AT_A_TIME) break;
    after = row.last;
  }
  return { ids: Buffer.concat(found), unindexed };
}

const BEHIND = columnsOf({ count: 'int4' });

/** Counts the messages after `last` that can be indexed, up to `max`. */
export async function countBehind(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  last: string,
  max: number,
): Promise<number> {
  const { rows } = await BEHIND.sql`
    select count(*)::int as count from (
      select from message_contents
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and not is_late and object_id > ${last} limit ${max}) c`.execute(
    database,
  );
  return rows[0]?.count ?? 0;
}

const FOUND = columnsOf({ ids: 'bytea?' });

/** Filters messages by a condition on their row `c` of `message_contents`. */
export async function scanMessages(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  has: RawBuilder<boolean>,
  ids: Buffer,
  tick: () => void,
): Promise<Buffer> {
  const found: Buffer[] = [];
  const step = VERIFIED_AT_A_TIME * ID_OCTETS;
  for (let at = 0; at < ids.length; at += step) {
    tick();
    const some = packedUuidArray(ids.subarray(at, at + step));
    const { rows } = await FOUND.sql`
      select string_agg(uuid_send(object_id), ''::bytea) as ids from message_contents c
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and object_id = any(${some}::uuid[]) and ${has}`.execute(
      database,
    );
    found.push(rows[0]?.ids ?? Buffer.alloc(0));
  }
  return Buffer.concat(found);
}
