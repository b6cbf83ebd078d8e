/** What IMAP shows of many messages, and nothing else of them: a text for each field, and one row of a statement for all of them. */
import { sql } from 'kysely';
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
  preview: 'c.preview',
  /** In hexadecimal. */
  digest: `encode(c.digest, 'hex')`,
} as const;

export type MessageField = keyof typeof FIELDS;

/** Looked up one by one, as in `read-messages.ts`, and only where a field of them is asked for. */
const CONTENTS = `cross join lateral (
  select * from message_contents c
  where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c`;

/** Of a statement: some three milliseconds. */
const MAX_CONTENTS = 1_000;
/** Without contents: the same. */
const MAX_ROWS = 5_000;
/** Of envelopes and structures, of which some are large: an answer ends with the first one behind so many octets. */
const MAX_OCTETS = 4_194_304;

/** Fields of messages in the order of their UIDs: `values` has the UID and each field of the first message, then those of the next one. */
export interface MessageFields {
  values: readonly string[];
  /** How many values belong to a message. */
  width: number;
}

/** Messages by their UIDs, not all of many: who wants more asks again behind the last. Unknown UIDs are left out. */
export async function readFields(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
  fields: readonly MessageField[],
): Promise<MessageFields> {
  const columns = fields.map((field) => FIELDS[field]);
  const hasContents = columns.some((column) => column.includes('c.'));
  const limit = hasContents ? MAX_CONTENTS : MAX_ROWS;
  const text = ['m.uid::text', ...columns.map((column) => `(${column})::text`)].join(` || E'\\n' || `);
  const large = columns.filter((column) => column === FIELDS.envelope || column === FIELDS.bodyStructure);
  const octets = large.map((column) => `octet_length(${column})`).join(' + ') || '0';
  const { rows } = await sql<{ packed: string | null }>`
    select string_agg(packed, E'\\n') as packed from (
      select ${sql.raw(text)} as packed, ${sql.raw(large.length === 0 ? '0' : `sum(${octets}) over (rows between unbounded preceding and 1 preceding)`)} as before
      from (select m.* from ${messagesIn(folder, ranges, limit)} limit ${limit}) m ${sql.raw(hasContents ? CONTENTS : '')}) p
    where before is null or before < ${MAX_OCTETS}`.execute(database);
  const packed = rows[0]?.packed ?? null;
  return { values: packed === null ? [] : packed.split('\n'), width: fields.length + 1 };
}
