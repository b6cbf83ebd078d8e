import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { MessageFacts } from '../facts/message-facts.ts';
import type { FolderKey } from '../in-folder.ts';
import { MAX_UID, type UidRange, uidSet, unpackUids } from '../uid-ranges.ts';
import { CONTENTS } from './conditions.ts';

/** `arrival`: the time of receipt. `date`: the time in the Date field, or the time of receipt if the message has no date. */
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

/** The error code of a statement that PostgreSQL canceled because the statement took too long. */
const QUERY_CANCELED = '57014';

const SETTINGS = columnsOf({ timeout: 'text', nestedLoops: 'text' });
const SORTED = columnsOf({ uids: 'bytea?' });

/**
 * Sorts messages in a folder (RFC 5256, section 3). Upper and lower case are equal, and messages with equal keys are sorted by UID.
 * PostgreSQL does the sorting, because sorting 100,000 messages in Node.js would block the event loop for a long time.
 * @param count the number of messages in the ranges
 * @returns the sorted UIDs; null if sorting took too long
 */
export async function sortMessages(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  ranges: readonly UidRange[],
  count: number,
  keys: readonly SortBy[],
  timeoutMs: number,
): Promise<Uint32Array | null> {
  const [first, last] = [ranges[0]?.first ?? 1, ranges.at(-1)?.last ?? 0];
  const names = keys.map((_, at) => sql.raw(`k${at}`));
  const order = keys.map(({ by, reverse }, at) => {
    const { sorted = (key) => key } = ORDERS[by];
    return sql`${sorted(names[at] as RawBuilder<unknown>)} ${sql.raw(reverse ? 'desc' : 'asc')}`;
  });
  const values = keys.flatMap(({ by }, at) => {
    const { content } = ORDERS[by];
    return content === undefined ? [] : [sql`${content} as ${names[at]}`];
  });
  try {
    return await database.transaction().execute(async (tx) => {
      // To sort most messages of a mailbox, one scan of all contents takes half as long as one lookup for each message. PostgreSQL
      // underestimates the number of rows and would not choose the scan.
      const { rows: settings } = await SETTINGS.sql`
        select set_config('statement_timeout', ${String(Math.max(1, Math.ceil(timeoutMs)))}, true) as timeout,
          set_config('enable_nestloop', case when ${2 * count}::float8 > (
            select sum(messages) from folders where project_id = ${projectId} and mailbox_id = ${mailboxId}
          ) then 'off' else 'on' end, true) as nested_loops`.execute(tx);
      // `offset 0`, so that only the sort keys are in the hash table of the join, and not header fields, which could be large.
      const contents =
        settings[0]?.nestedLoops === 'off'
          ? sql`join (select c.object_id, ${sql.join(values)} from message_contents c
              where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} offset 0) c on c.object_id = m.object_id`
          : sql`cross join lateral (select ${sql.join(values)} from ${CONTENTS} limit 1) c`;
      const { rows } = await SORTED.sql`
        select string_agg(int4send(uid), ''::bytea) as uids from (
          select m.uid from messages m ${values.length > 0 ? contents : sql``}
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

/**
 * The sort key of i;unicode-casemap: decomposed and in upper case for all scripts that the database supports, so that `_` sorts after
 * letters. ASCII text is not decomposed, because that would take as long as sorting.
 * @param text a column, because it is evaluated several times
 */
function folded(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`upper(case when octet_length(${text}) = length(${text}) then ${text} else normalize(${text}, NFD) end) collate "C"`;
}

/** Sort keys from addresses. `isShown`: DISPLAYFROM and DISPLAYTO. The order is the order of the lines in `addressKeys`. */
const ADDRESS_KEYS = [
  { by: 'from', field: 'from', isShown: false },
  { by: 'to', field: 'to', isShown: false },
  { by: 'cc', field: 'cc', isShown: false },
  { by: 'shown-from', field: 'from', isShown: true },
  { by: 'shown-to', field: 'to', isShown: true },
] as const;
type AddressKey = (typeof ADDRESS_KEYS)[number];

/**
 * The sort keys from the addresses of a message, one on each line, for `message_contents.sort_keys`. PostgreSQL would need twice as long to
 * compute them as for the rest of a SORT.
 */
export function addressKeys(facts: Pick<MessageFacts, 'from' | 'to' | 'cc' | 'envelope' | 'header'>): string {
  const keys = ADDRESS_KEYS.map(({ field, isShown }) => {
    const group = facts.envelope.includes(GROUP_START) ? new RegExp(groupIn(field)).exec(facts.header) : null;
    const { name, address } = facts[field][0] ?? { name: '', address: '' };
    const localEnd = address.includes('@') ? address.lastIndexOf('@') : address.length;
    return group?.[1] ?? (isShown ? name || address : address.slice(0, localEnd));
  });
  return keys.map((key) => key.replaceAll('\n', ' ')).join('\n');
}

/**
 * - FROM, TO and CC: addr-mailbox (RFC 9051, section 9), which is the part before the last @, or the name of a group.
 * - DISPLAYFROM and DISPLAYTO: the display name, or the address if it has no name (RFC 5957, section 3), or the name of a group.
 */
function fromAddresses(key: AddressKey): RawBuilder<unknown> {
  const { field, isShown } = key;
  const first = (part: 'name' | 'address') => sql`(c.addresses #>> ${sql.lit(`{${field},0,${part}}`)})`;
  const shown = isShown
    ? sql`nullif(${first('name')}, ''), ${first('address')}`
    : sql`regexp_replace(${first('address')}, '@[^@]*$', '')`;
  // Messages that older code stored have no sort keys.
  return sql`case when c.sort_keys is null then coalesce(
      case when position(${sql.lit(GROUP_START)} in c.envelope) > 0 then substring(c.header from ${sql.lit(groupIn(field))}) end,
      ${shown}, '')
    else split_part(c.sort_keys, ${sql.lit('\n')}, ${sql.lit(ADDRESS_KEYS.indexOf(key) + 1)}) end`;
}

/**
 * If the first address in ENVELOPE is the start of a group, it has no host (RFC 9051, section 7.5.2). Without such an address in the
 * envelope, the header is not read: it is several times as long, and a regular expression is slow.
 */
const GROUP_START = ' NIL)';

/** A regular expression for the name of the group at the beginning of a field, in the form of `headerText`. */
function groupIn(field: AddressKey['field']): string {
  return `\n${field}: ([^"<>@,;:()\n]+):`;
}

/** The time of receipt in whole seconds, because IMAP does not show fractions. Messages of the same second are sorted by UID. */
const RECEIVED = sql`date_trunc('second', m.internal_date)`;

interface Order {
  /** The part of the sort key that is read from the contents `c` of the message. */
  content?: RawBuilder<unknown>;
  /** The sort key of the message `m`. @param content the value of `content`, which is the sort key by default */
  sorted?(content: RawBuilder<unknown>): RawBuilder<unknown>;
}

const ORDERS: Readonly<Record<MessageOrder, Order>> = {
  arrival: { sorted: () => RECEIVED },
  date: { content: sql`c.sent_at`, sorted: (sentAt) => sql`coalesce(${sentAt}, ${RECEIVED})` },
  size: { sorted: () => sql`m.octets` },
  subject: { content: sql`c.base_subject`, sorted: folded },
  ...(Object.fromEntries(
    ADDRESS_KEYS.map((key) => [key.by, { content: fromAddresses(key), sorted: folded }]),
  ) as Record<AddressKey['by'], Order>),
};
