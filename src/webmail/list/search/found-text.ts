/** What a row of search results shows about the matching message: where the text was found, and the folder. */
import { type RawBuilder, sql } from 'kysely';
import type { FoundMessage } from '../../../contract/mail/conversations.ts';
import { uuidArray } from '../../../db/arrays.ts';
import { columnsOf } from '../../../db/columns.ts';
import type { Database } from '../../../db/database.ts';
import { encodeId } from '../../../model/ids.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { PART_TEXT } from '../../../store/search/message-parts.ts';
import { textTerms } from './matching-messages.ts';
import type { MailTerm } from './parse-query.ts';

/** The number of characters before and after the beginning of a match. */
const BEFORE = 40;
const AFTER = 160;

const FOUND = columnsOf({ threadId: 'uuid', folderId: 'uuid?', snippet: 'text?', isCut: 'bool?' });

/**
 * By thread, for one matching message of each. The snippet is the text around the first word of the search that is in the body and not in
 * the subject, the names and the addresses, which the row shows anyway. It is in normal form, because only this form is stored.
 * @param objectIds the matching messages
 */
export async function foundTexts(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  objectIds: readonly string[],
  terms: readonly MailTerm[],
  folderIds: readonly string[],
): Promise<Map<string, FoundMessage>> {
  const words = textTerms(terms).filter((term) => term.in === 'anywhere' && !term.not);
  const { rows } = await FOUND.sql`
    select c.thread_id, m.folder_id, x.snippet, x.is_cut from message_contents c
    left join lateral (
      select m.folder_id from messages m
      where m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
        and m.folder_id = any(${uuidArray(folderIds)}::uuid[])
      order by m.save_date desc limit 1) m on true
    left join lateral (${words.length === 0 ? sql`select null::text as snippet, false as is_cut` : snippetOf(words)}) x on true
    where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = any(${uuidArray(objectIds)}::uuid[])`.execute(
    database,
  );
  return new Map(
    rows.flatMap(({ threadId, folderId, snippet, isCut }) => {
      // The message was moved to a folder outside the search.
      if (folderId === null) return [];
      const folder = encodeId('fld', folderId);
      return [[threadId, { folder, snippet: snippet === null ? null : shown(snippet, isCut === true) }]];
    }),
  );
}

function snippetOf(words: readonly { text: string }[]): RawBuilder<unknown> {
  const needles = sql.join(words.map(({ text }) => sql`(${text}::text)`));
  return sql`
    select substr(p.body, greatest(1, p.at - ${sql.lit(BEFORE)}), ${sql.lit(BEFORE + AFTER)}) as snippet,
      p.at > ${sql.lit(BEFORE + 1)} as is_cut
    from (
      select ${PART_TEXT.body} as body, strpos(${PART_TEXT.body}, n.text) as at
      from (values ${needles}) n (text) where strpos(${PART_TEXT.head}, n.text) = 0) p
    where p.at > 0 limit 1`;
}

/** On one line, beginning and ending with whole words. */
function shown(snippet: string, isCut: boolean): string {
  const line = snippet.replace(/\s+/g, ' ').trim();
  const begun = isCut ? line.replace(/^\S{0,20} /, '') : line;
  const whole = snippet.length < BEFORE + AFTER ? begun : begun.replace(/ \S{0,20}$/, '');
  return `${isCut ? '…' : ''}${whole}${whole === begun ? '' : '…'}`;
}
