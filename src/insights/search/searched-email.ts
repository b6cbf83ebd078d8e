/** What of an email words are looked for in, and how it is read. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { WordField, WordTerm } from '../../model/email-query.ts';
import type { Stream } from '../../model/streams.ts';
import { normalForm } from '../../store/search/normal-form.ts';
import { hasNeedle, type Needle, needleOf } from './keys.ts';

/** What `searchedColumns` are read as. */
export const SEARCHED_EMAIL = columnsOf({
  id: 'uuid',
  status: 'int2',
  subject: 'text',
  sender: 'text',
  toList: 'text[]',
  tags: 'text[]',
  scheduledAt: 'timestamptz?',
  /** Of the envelope, in normal form: those in cc and bcc too. */
  addresses: 'text[]?',
  stream: shaped<Stream | null>('text?'),
});

export type SearchedEmail = RowOf<typeof SEARCHED_EMAIL>;

const OWN = `e.id, e.status, e.subject, e.sender, e.to_list, e.tags, e.scheduled_at,
  (select array_agg(r.address) from email_recipients r where r.project_id = e.project_id and r.email_id = e.id) as addresses`;
const STREAM =
  '(select c.stream from email_contents c where c.project_id = e.project_id and c.email_id = e.id)';

/** The columns, of a row `e` of `emails`. @param withStream it stands with the bodies: to read it takes as long as all others */
export function searchedColumns(withStream: boolean): RawBuilder<unknown> {
  return sql.raw(`${OWN}, ${withStream ? STREAM : 'null'} as stream`);
}

type IndexedField = Exclude<WordField, 'any'>;

/** A letter for each field: it stands behind the words of the index. */
export const FIELD_MARKS: Readonly<Record<IndexedField, string>> = {
  to: 't',
  from: 'f',
  subject: 's',
  tag: 'g',
  stream: 'r',
};
/** What a word without a field is looked for in. */
const ANY: readonly IndexedField[] = ['to', 'from', 'subject', 'tag'];

/** The texts of a field, in normal form. */
export function textsOf(email: SearchedEmail, field: IndexedField): string[] {
  switch (field) {
    case 'to':
      return [...email.toList, ...(email.addresses ?? [])].map(normalForm);
    case 'from':
      return [normalForm(email.sender)];
    case 'subject':
      return [normalForm(email.subject)];
    case 'tag':
      return email.tags.map(normalForm);
    case 'stream':
      return email.stream === null ? [] : [email.stream];
  }
}

/** A term, and how it is found. */
export interface Sought extends WordTerm {
  needle: Needle;
  /** Marks of the fields that it is looked for in. */
  marks: string;
}

/** @returns what is wrong where a term has nothing that can be looked for */
export function soughtOf(terms: readonly WordTerm[]): Sought[] | { error: string } {
  const sought: Sought[] = [];
  for (const { field, text } of terms) {
    const needle = needleOf(text);
    if (needle === null) return { error: `${nameOf({ field, text })} has no letter or digit to look for` };
    sought.push({
      field,
      text,
      needle,
      marks: fieldsOf(field)
        .map((name) => FIELD_MARKS[name])
        .join(''),
    });
  }
  return sought;
}

/** A term as it is written. */
export function nameOf({ field, text }: WordTerm): string {
  return field === 'any' ? text : `${field}:${text}`;
}

function fieldsOf(field: WordField): readonly IndexedField[] {
  return field === 'any' ? ANY : [field];
}

/** Whether an email has the word. */
export function hasWord(email: SearchedEmail, { field, needle }: Sought): boolean {
  return fieldsOf(field).some((name) => textsOf(email, name).some((text) => hasNeedle(text, needle)));
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * What is true of a row `e` of `emails` that has all words, and of few others: so PostgreSQL leaves out most of what is looked at one by one. A text of
 * ASCII has what its small letters have; any other one is looked at by `hasWord`.
 */
export function mayHaveWords(words: readonly Sought[]): RawBuilder<boolean> {
  const keys = words.filter(({ field }) => field !== 'stream').flatMap(({ needle }) => needle.keys);
  const has = keys.map((key) => (ASCII.test(key) ? sql`strpos(t.small, ${key}) > 0` : sql`false`));
  return sql<boolean>`(
    -- Addresses that only the envelope has, or that it has in another form.
    cardinality(e.stages) > 1 or cardinality(e.to_list) > 1 or exists (
      select from (
        select lower(text collate "C") as small, text
        from (select concat_ws(' ', e.sender, array_to_string(e.to_list, ' '), e.subject, array_to_string(e.tags, ' ')) as text) t
        offset 0
      ) t
      where octet_length(t.text) <> length(t.text) or t.text ~ '["(\\\\]' or (${sql.join([sql`true`, ...has], sql` and `)})))`;
}
