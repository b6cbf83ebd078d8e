/** The words by which people are found: the beginning of any word of a name or an address. */
import { type RawBuilder, sql } from 'kysely';
import { normalForm } from '../store/search/normal-form.ts';

/** The maximum number of words of a query. Further words are ignored. */
const MAX_WORDS = 8;

/** The words, each preceded by a space, so that one condition matches the beginning of any word. The name is first: lists are sorted by it. */
export function wordsOf(name: string | null, address: string): string {
  const parts = address.split(/[@.\-_+]+/);
  return ` ${normalForm(
    `${name ?? ''} ${address} ${address.slice(address.indexOf('@') + 1)} ${parts.join(' ')}`,
  )
    .replace(/[\s"'(),]+/g, ' ')
    .trim()} `;
}

/** The words of a query, in the same form. */
export function wordsOfQuery(text: string): string[] {
  return normalForm(text)
    .split(/[\s"'(),<>]+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
}

/** Whether each word of a query begins a word of the column. */
export function hasWords(column: RawBuilder<unknown>, words: readonly string[]): RawBuilder<boolean> {
  if (words.length === 0) return sql<boolean>`true`;
  return sql<boolean>`(${sql.join(
    words.map((word) => sql`${column} like ${`% ${escaped(word)}%`}`),
    sql` and `,
  )})`;
}

/** Escapes the wildcards of LIKE. */
export function escaped(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
