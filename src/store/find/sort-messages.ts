import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderKey } from '../in-folder.ts';
import { MAX_UID, type UidRange, uidSet, unpackUids } from '../uid-ranges.ts';
import { CONTENTS } from './conditions.ts';

/** `arrival`: when it was received. `date`: when it was sent, or received where it does not say. */
export type MessageOrder =
  | 'arrival'
  | 'date'
  | 'size'
  | 'subject'
  | 'from'
  | 'to'
  | 'cc'
  | 'shown-from'
  | 'shown-to';

export interface SortBy {
  by: MessageOrder;
  reverse: boolean;
}

/** PostgreSQL has ended a statement that took too long. */
const QUERY_CANCELED = '57014';

const SORTED = columnsOf({ uids: 'bytea?' });

/**
 * Messages of a folder in another order (RFC 5256, section 3): texts without case, and messages that are the same by their UIDs.
 * PostgreSQL sorts them: of 100,000 the loop would hear nothing for a long time.
 * @returns their UIDs; null: it took too long
 */
export async function sortMessages(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  ranges: readonly UidRange[],
  keys: readonly SortBy[],
  timeoutMs: number,
): Promise<Uint32Array | null> {
  const order = keys.map(({ by, reverse }) => sql`${ORDERS[by]} ${sql.raw(reverse ? 'desc' : 'asc')}`);
  const needsContents = keys.some(({ by }) => by !== 'arrival' && by !== 'size');
  const [first, last] = [ranges[0]?.first ?? 1, ranges.at(-1)?.last ?? 0];
  try {
    return await database.transaction().execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(timeoutMs)))}, true)`.execute(
        tx,
      );
      const { rows } = await SORTED.sql`
        select string_agg(int4send(uid), ''::bytea) as uids from (
          select m.uid from messages m
          ${needsContents ? sql`cross join lateral (select * from ${CONTENTS} limit 1) c` : sql``}
          where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = ${folderId}
            and m.uid between ${first} and ${Math.min(last, MAX_UID)} and m.uid <@ ${uidSet(ranges)}::int4multirange
          order by ${sql.join([...order, sql`m.uid`])}) s`.execute(tx);
      const uids = rows[0]?.uids ?? null;
      return unpackUids(uids === null ? [] : [uids]);
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === QUERY_CANCELED) return null;
    throw error;
  }
}

/** As i;unicode-casemap compares them: taken apart, and in capitals of all scripts, as the database knows them, so that `_` stands behind letters. */
function folded(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`upper(normalize(${text}, NFD)) collate "C"`;
}

function first(field: 'from' | 'to' | 'cc', part: 'name' | 'address'): RawBuilder<unknown> {
  return sql`(c.addresses -> ${sql.lit(field)} -> 0 ->> ${sql.lit(part)})`;
}

/** addr-mailbox (RFC 9051, section 9): what stands before the last @, or the name of a group. */
function localPart(field: 'from' | 'to' | 'cc'): RawBuilder<unknown> {
  return folded(
    sql`coalesce(${group(field)}, regexp_replace(${first(field, 'address')}, '@[^@]*$', ''), '')`,
  );
}

/** The name, or without one the address (RFC 5957, section 3). */
function shown(field: 'from' | 'to'): RawBuilder<unknown> {
  return folded(
    sql`coalesce(${group(field)}, nullif(${first(field, 'name')}, ''), ${first(field, 'address')}, '')`,
  );
}

/** ENVELOPE has the begin of a group as its first address (RFC 9051, section 7.5.2). */
function group(field: 'from' | 'to' | 'cc'): RawBuilder<unknown> {
  return sql`substring(c.header from ${sql.lit(`\n${field}: ([^"<>@,;:()\n]+):`)})`;
}

/** Mail apps see the seconds, and those of one second are in the order of their UIDs. */
const RECEIVED = sql`date_trunc('second', m.internal_date)`;

const ORDERS: Readonly<Record<MessageOrder, RawBuilder<unknown>>> = {
  arrival: RECEIVED,
  date: sql`coalesce(c.sent_at, ${RECEIVED})`,
  size: sql`m.octets`,
  subject: folded(sql`c.base_subject`),
  from: localPart('from'),
  to: localPart('to'),
  cc: localPart('cc'),
  'shown-from': shown('from'),
  'shown-to': shown('to'),
};
