import { type RawBuilder, sql } from 'kysely';

/**
 * The searchable parts of a message. `head`: the data shown in lists, and the names of attachments. `body`: the texts of the message.
 * `header`: all header fields (`facts/header-text.ts`).
 */
export type MessagePart = 'head' | 'body' | 'header';

export const MESSAGE_PARTS: readonly MessagePart[] = ['head', 'body', 'header'];

const BETWEEN = '\n\n';

/** SQL for the text of a part, from the row `c` of `message_contents`. */
export const PART_TEXT: Readonly<Record<MessagePart, RawBuilder<string>>> = {
  head: sql`split_part(c.text, ${sql.lit(BETWEEN)}, 1)`,
  body: sql`split_part(c.text, ${sql.lit(BETWEEN)}, 2)`,
  header: sql`coalesce(c.header, '')`,
};

/** The texts of all parts, from the columns of a row. */
export function partTexts(text: string, header: string | null): Record<MessagePart, string> {
  const end = text.indexOf(BETWEEN);
  return end === -1
    ? { head: text, body: '', header: header ?? '' }
    : { head: text.slice(0, end), body: text.slice(end + BETWEEN.length), header: header ?? '' };
}
