/** What IMAP shows of many messages, and nothing else of them: a text for each field, and one row of a statement for all of them. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { FolderKey } from './in-folder.ts';
import { messagesIn, type UidRange } from './uid-ranges.ts';

/** How each field is written; no field has an LF in it. */
const FIELDS = {
  flags: 'm.flags',
  /** With spaces between them. */
  keywords: `array_to_string(m.keywords, ' ')`,
  modseq: 'm.modseq',
  octets: 'm.octets',
  /** In seconds since 1970. */
  internalDate: 'floor(extract(epoch from m.internal_date))::int8',
  saveDate: 'floor(extract(epoch from m.save_date))::int8',
  objectId: 'm.object_id',
  threadId: 'c.thread_id',
  envelope: 'c.envelope',
  bodyStructure: 'c.body_structure',
  /** As `usualFields` of `MessageFacts`, or `NOT_STORED`. */
  usualFields: `coalesce(c.usual_fields, '-')`,
  preview: 'c.preview',
  /** In hexadecimal. */
  digest: `encode(c.digest, 'hex')`,
} as const;

/** In the place of usual fields that have to be read from the bytes: of those that are kept none begins with it. */
export const NOT_STORED = '-';

export type MessageField = keyof typeof FIELDS;

const LARGE: readonly MessageField[] = ['envelope', 'bodyStructure', 'usualFields'];

/** Looked up one by one, as in `read-messages.ts`, and only where a field of them is asked for. */
const CONTENTS = `cross join lateral (
  select * from message_contents c
  where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`;

/** Of a statement: some three milliseconds. */
const MAX_CONTENTS = 1_000;
/** Without contents: the same. */
const MAX_ROWS = 5_000;
/** Of fields of which some are large: an answer ends with the first one behind so many octets. */
const MAX_OCTETS = 4_194_304;
/** Those of a message that are no larger are not counted: all of a statement are no more than that. */
const SMALL_OCTETS = Math.floor(MAX_OCTETS / MAX_CONTENTS);

/** Fields of messages in the order of their UIDs: `values` has the UID and each field of the first message, then those of the next one. */
export interface MessageFields {
  values: readonly string[];
  /** How many values belong to a message. */
  width: number;
}

/** Of how many messages an answer has these fields, unless they are large. */
export function mostAtOnce(fields: readonly MessageField[]): number {
  return hasContents(fields) ? MAX_CONTENTS : MAX_ROWS;
}

function hasContents(fields: readonly MessageField[]): boolean {
  return fields.some((field) => FIELDS[field].includes('c.'));
}

const PACKED = columnsOf({ packed: 'text?', isWhole: 'bool?' });

/** Messages by their UIDs, not all of many: who wants more asks again behind the last. Unknown UIDs are left out. */
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

/** The same where some are large. To count what all take would cost the others a third of their time. */
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
