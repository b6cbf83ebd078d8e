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
const MAX_FIELD_MESSAGES = 1_000;

/** Fields of messages in the order of their UIDs: `values` has the UID and each field of the first message, then those of the next one. */
export interface MessageFields {
  values: readonly string[];
  /** How many values belong to a message. */
  width: number;
}

/** Messages by their UIDs, at most 1,000: who wants more asks again behind the last. Unknown UIDs are left out. */
export async function readFields(
  database: Database,
  folder: FolderKey,
  ranges: readonly UidRange[],
  fields: readonly MessageField[],
): Promise<MessageFields> {
  const columns = fields.map((field) => FIELDS[field]);
  const contents = columns.some((column) => column.includes('c.')) ? CONTENTS : '';
  const { rows } = await sql<{ packed: string | null }>`
    select string_agg(${sql.raw(['m.uid::text', ...columns.map((column) => `(${column})::text`)].join(` || E'\\n' || `))}, E'\\n') as packed
    from (select m.* from ${messagesIn(folder, ranges, MAX_FIELD_MESSAGES)} limit ${MAX_FIELD_MESSAGES}) m ${sql.raw(contents)}`.execute(
    database,
  );
  const packed = rows[0]?.packed ?? null;
  return { values: packed === null ? [] : packed.split('\n'), width: fields.length + 1 };
}
