/** Reads the fields of many messages for IMAP. For efficiency, each field is a text, and one row contains all messages. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { FolderKey } from './in-folder.ts';
import { messagesIn, type UidRange } from './uid-ranges.ts';

/** SQL for each field. No field contains an LF. */
const FIELDS = {
  flags: 'm.flags',
  /** Keywords, separated by spaces. */
  keywords: `array_to_string(m.keywords, ' ')`,
  modseq: 'm.modseq',
  octets: 'm.octets',
  /** The internal date in seconds since 1970. */
  internalDate: 'floor(extract(epoch from m.internal_date))::int8',
  saveDate: 'floor(extract(epoch from m.save_date))::int8',
  objectId: 'm.object_id',
  threadId: 'c.thread_id',
  envelope: 'c.envelope',
  bodyStructure: 'c.body_structure',
  /** `usualFields` of `MessageFacts`, or `NOT_STORED`. */
  usualFields: `coalesce(c.usual_fields, '-')`,
  preview: 'c.preview',
  /** The digest in hexadecimal. */
  digest: `encode(c.digest, 'hex')`,
} as const;

/** The value of `usualFields` if the fields must be read from the message. No stored value begins with this character. */
export const NOT_STORED = '-';

export type MessageField = keyof typeof FIELDS;

const LARGE: readonly MessageField[] = ['envelope', 'bodyStructure', 'usualFields'];

/** Contents are looked up row by row, as in `read-messages.ts`, and only if a requested field is in `message_contents`. */
const CONTENTS = `cross join lateral (
  select * from message_contents c
  where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`;

/** Messages per statement that reads contents. Such a statement takes about 3 ms. */
const MAX_CONTENTS = 1_000;
/** Messages per statement without contents. Such a statement also takes about 3 ms. */
const MAX_ROWS = 5_000;
/** A result with large fields ends with the message that makes the result larger than this. */
const MAX_OCTETS = 4_194_304;
/** If the fields of a message have at most this many octets, sizes are not counted: `MAX_CONTENTS` messages stay within `MAX_OCTETS`. */
const SMALL_OCTETS = Math.floor(MAX_OCTETS / MAX_CONTENTS);

/** Fields of messages, sorted by UID. `values` has the UID and the fields of the first message, then of the next, and so on. */
export interface MessageFields {
  values: readonly string[];
  /** The number of values per message. */
  width: number;
}

/** The number of messages per result for the given fields. A result with large fields may have fewer. */
export function mostAtOnce(fields: readonly MessageField[]): number {
  return hasContents(fields) ? MAX_CONTENTS : MAX_ROWS;
}

function hasContents(fields: readonly MessageField[]): boolean {
  return fields.some((field) => FIELDS[field].includes('c.'));
}

const PACKED = columnsOf({ packed: 'text?', isWhole: 'bool?' });

/** Reads messages by UID, up to a limit. The caller continues after the last UID of the result. Unknown UIDs are skipped. */
export async function readFields(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
  fields: readonly MessageField[],
): Promise<MessageFields> {
  const columns = fields.map((field) => FIELDS[field]);
  const limit = mostAtOnce(fields);
  const from = sql`(select m.* from ${messagesIn(folder, ranges, limit)} limit ${limit}) m ${sql.raw(hasContents(fields) ? CONTENTS : '')}`;
  const text = ['m.uid::text', ...columns.map((column) => `(${column})::text`)].join(` || E'\\n' || `);
  const large = fields.filter((field) => LARGE.includes(field));
  const octets = large.map((field) => `octet_length(${FIELDS[field]})`).join(' + ') || '0';
  const isSmall = sql`${sql.raw(octets)} <= ${SMALL_OCTETS}`;
  const { rows } = await PACKED.sql`
    select string_agg(case when ${isSmall} then ${sql.raw(text)} end, E'\\n') as packed, bool_and(${isSmall}) as is_whole
    from ${from}`.execute(database);
  const [row] = rows;
  const packed =
    row?.isWhole === false ? await readLarge(database, { text, octets }, from) : (row?.packed ?? null);
  return { values: packed === null ? [] : packed.split('\n'), width: fields.length + 1 };
}

const PACKED_LARGE = columnsOf({ packed: 'text?' });

/** Like `readFields`, but limits the total size. Counting sizes takes a third more time, so this is used only for large fields. */
async function readLarge(
  database: Database,
  { text, octets }: { text: string; octets: string },
  from: RawBuilder<unknown>,
): Promise<string | null> {
  const { rows } = await PACKED_LARGE.sql`
    select string_agg(packed, E'\\n') as packed from (
      select ${sql.raw(text)} as packed, sum(${sql.raw(octets)}) over (rows between unbounded preceding and 1 preceding) as before
      from ${from}) p
    where before is null or before < ${MAX_OCTETS}`.execute(database);
  return rows[0]?.packed ?? null;
}
