/** Parses the arguments of SEARCH, SORT and THREAD (RFC 9051, section 6.4.4; RFC 5256; RFC 5267, section 3; RFC 5957; RFC 9394). */
import type { Command, SearchKey, SearchReturn, SortKey } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';
import { readPartialRange } from './partial-range.ts';
import { charsetDecoder } from './search-charset.ts';
import { SearchKeyReader } from './search-keys.ts';

const MAX_OPTIONS = 20;
const MAX_SORT_KEYS = 20;
const WHAT = 'a search key, such as ALL';

export function readSearch(cursor: CommandCursor, uid: boolean): Command {
  cursor.space(WHAT);
  const options = readReturn(cursor, WHAT);
  let charset: string | null = null;
  if (cursor.peekWord() === 'CHARSET') {
    cursor.word('CHARSET');
    cursor.space('a charset');
    charset = cursor.octets('a charset');
    cursor.space(WHAT);
  }
  return { name: 'SEARCH', uid, return: options, charset, criteria: readCriteria(cursor, charset) };
}

export function readSort(cursor: CommandCursor, uid: boolean): Command {
  const what = 'sort keys, such as (SUBJECT)';
  cursor.space(what);
  const options = readReturn(cursor, what);
  const keys = cursor.list('sort keys', MAX_SORT_KEYS, () => readSortKey(cursor));
  if (keys.length === 0) cursor.needs(what);
  const charset = readCharset(cursor);
  return { name: 'SORT', uid, return: options, keys, charset, criteria: readCriteria(cursor, charset) };
}

export function readThread(cursor: CommandCursor, uid: boolean): Command {
  const what = 'an algorithm, such as REFERENCES';
  cursor.space(what);
  const algorithm = cursor.atom(what).toUpperCase();
  const charset = readCharset(cursor);
  return { name: 'THREAD', uid, algorithm, charset, criteria: readCriteria(cursor, charset) };
}

function readCharset(cursor: CommandCursor): string {
  cursor.space('a charset, such as UTF-8');
  const charset = cursor.octets('a charset, such as UTF-8');
  cursor.space(WHAT);
  return charset;
}

/** Reads search keys. For an unknown charset, only the syntax is checked, because the response is BADCHARSET. */
function readCriteria(cursor: CommandCursor, charset: string | null): SearchKey {
  return new SearchKeyReader(cursor, charsetDecoder(charset) ?? ((octets) => octets)).read();
}

function readReturn(cursor: CommandCursor, next: string): SearchReturn {
  if (cursor.peekWord() !== 'RETURN') return null;
  cursor.word('RETURN');
  cursor.space('options in parentheses after RETURN');
  const options: Exclude<SearchReturn, null>[number][] = [];
  cursor.list('options after RETURN', MAX_OPTIONS, () => {
    const name = cursor.word('an option, such as COUNT');
    switch (name) {
      case 'MIN':
      case 'MAX':
      case 'ALL':
      case 'COUNT':
      case 'SAVE':
        if (!options.includes(name)) options.push(name);
        return;
      case 'PARTIAL':
        cursor.space('a range of results, such as 1:100');
        if (options.some((option) => typeof option === 'object'))
          cursor.fault(`${cursor.command} has more than one PARTIAL`);
        options.push({ partial: readPartialRange(cursor) });
        return;
      default:
        cursor.fault(`${cursor.command} cannot return ${name.slice(0, 30)}`);
    }
  });
  // A command cannot have both ALL and PARTIAL (RFC 9394, section 3.1).
  if (options.includes('ALL') && options.some((option) => typeof option === 'object'))
    cursor.fault(`${cursor.command} has both PARTIAL and ALL`);
  cursor.space(next);
  return options.length > 0 ? options : ['ALL'];
}

const SORT_KEYS: ReadonlySet<string> = new Set<SortKey['by']>([
  'ARRIVAL',
  'CC',
  'DATE',
  'FROM',
  'SIZE',
  'SUBJECT',
  'TO',
  'DISPLAYFROM',
  'DISPLAYTO',
]);

function readSortKey(cursor: CommandCursor): SortKey {
  const what = 'a sort key, such as SUBJECT';
  let by = cursor.word(what);
  const reverse = by === 'REVERSE';
  if (reverse) {
    cursor.space(`${what}, after REVERSE`);
    by = cursor.word(`${what}, after REVERSE`);
  }
  if (!SORT_KEYS.has(by)) cursor.fault(`${cursor.command} cannot sort by ${by.slice(0, 30)}`);
  return { by: by as SortKey['by'], reverse };
}
