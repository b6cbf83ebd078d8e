/** The parts of an email that a search covers, and the columns that contain them. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { WordField, WordTerm } from '../../model/email-query.ts';
import type { Stream } from '../../model/streams.ts';
import { LISTED_COLUMNS, LISTED_EMAIL } from '../../sending/read/find-emails.ts';
import { normalForm } from '../../store/search/normal-form.ts';
import { hasNeedle, type Needle, needleOf } from './keys.ts';

/** The types of `searchedColumns`. */
export const SEARCHED_EMAIL = columnsOf({
  ...LISTED_EMAIL.kinds,
  /** Addresses of the envelope in normal form, including cc and bcc. */
  addresses: 'text[]?',
  stream: shaped<Stream | null>('text?'),
});

export type SearchedEmail = RowOf<typeof SEARCHED_EMAIL>;

const OWN = sql`${LISTED_COLUMNS},
  (select array_agg(r.address) from email_recipients r where r.project_id = e.project_id and r.email_id = e.id) as addresses`;
const STREAM = sql`
  (select c.stream from email_contents c where c.project_id = e.project_id and c.email_id = e.id)`;

/**
 * The columns of a row `e` of `emails`. @param withStream whether to read the stream, which is stored with the bodies and takes as long
 * as all other columns
 */
export function searchedColumns(withStream: boolean): RawBuilder<unknown> {
  return sql`${OWN}, ${withStream ? STREAM : sql`null`} as stream`;
}

type IndexedField = Exclude<WordField, 'any'>;

/** The letter of each field. In the index, each word is followed by the letter of its field. */
export const FIELD_MARKS: Readonly<Record<IndexedField, string>> = {
  to: 't',
  from: 'f',
  subject: 's',
  tag: 'g',
  stream: 'r',
};
/** If a search term names no field, these fields are searched. */
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

/** A search term, prepared for matching. */
export interface SearchTerm extends WordTerm {
  needle: Needle;
  /** The letters of the fields to search, from `FIELD_MARKS`. */
  marks: string;
}

/** @returns an error if a term has no letter and no digit */
export function searchTermsOf(terms: readonly WordTerm[]): SearchTerm[] | { error: string } {
  const prepared: SearchTerm[] = [];
  for (const { field, text } of terms) {
    const needle = needleOf(text);
    if (needle === null) return { error: `${nameOf({ field, text })} has no letter or digit to search for` };
    prepared.push({
      field,
      text,
      needle,
      marks: fieldsOf(field)
        .map((name) => FIELD_MARKS[name])
        .join(''),
    });
  }
  return prepared;
}

/** A term in the query's notation. */
export function nameOf({ field, text }: WordTerm): string {
  return field === 'any' ? text : `${field}:${text}`;
}

function fieldsOf(field: WordField): readonly IndexedField[] {
  return field === 'any' ? ANY : [field];
}

export function hasWord(email: SearchedEmail, { field, needle }: SearchTerm): boolean {
  return fieldsOf(field).some((name) => textsOf(email, name).some((text) => hasNeedle(text, needle)));
}

const ASCII = /^[\0-\x7f]*$/;

/**
 * A condition on a row `e` of `emails` with which PostgreSQL filters out most unindexed emails. The condition is true if the email has all
 * words, and rarely true otherwise. It compares only ASCII texts, in lower case. For all others it is true, so that `hasWord` decides.
 */
export function mayHaveWords(words: readonly SearchTerm[]): RawBuilder<boolean> {
  const keys = words.filter(({ field }) => field !== 'stream').flatMap(({ needle }) => needle.keys);
  const has = keys.map((key) => (ASCII.test(key) ? sql`strpos(t.small, ${key}) > 0` : sql`false`));
  return sql<boolean>`(
    -- The envelope may have further addresses, or another form of one.
    cardinality(e.stages) > 1 or cardinality(e.to_list) > 1 or exists (
      select from (
        select lower(text collate "C") as small, text
        from (select concat_ws(' ', e.sender, array_to_string(e.to_list, ' '), e.subject, array_to_string(e.tags, ' ')) as text) t
        offset 0
      ) t
      where octet_length(t.text) <> length(t.text) or t.text ~ '["(\\\\]' or (${sql.join([sql`true`, ...has], sql` and `)})))`;
}
