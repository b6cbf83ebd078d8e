/** The search keys of SEARCH, SORT and THREAD (RFC 9051, section 6.4.4; RFC 3501; RFC 5032, 7162, 8474, 8514). */
import type { SearchDayKey, SearchKey, SearchTextKey, SearchWord } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';
import { readDay } from './dates.ts';
import { readSequenceSet } from './sequence-set.ts';

/** The maximum nesting of NOT, OR and parentheses. To search for one of many senders, clients nest one OR per sender. */
const MAX_DEPTH = 100;
const MAX_KEYS = 2_000;

const WORDS: ReadonlySet<string> = new Set<SearchWord>([
  'ALL',
  'ANSWERED',
  'DELETED',
  'DRAFT',
  'FLAGGED',
  'NEW',
  'OLD',
  'RECENT',
  'SEEN',
  'SAVEDATESUPPORTED',
  'UNANSWERED',
  'UNDELETED',
  'UNDRAFT',
  'UNFLAGGED',
  'UNSEEN',
]);
const TEXT_KEYS: ReadonlySet<string> = new Set<SearchTextKey>([
  'BCC',
  'BODY',
  'CC',
  'FROM',
  'SUBJECT',
  'TEXT',
  'TO',
]);
const DAY_KEYS: ReadonlySet<string> = new Set<SearchDayKey>([
  'BEFORE',
  'ON',
  'SINCE',
  'SENTBEFORE',
  'SENTON',
  'SENTSINCE',
  'SAVEDBEFORE',
  'SAVEDON',
  'SAVEDSINCE',
]);

const WHAT = 'a search key, such as ALL or SUBJECT hello';
const ENTRY = /"\/flags\/(?:[^"\\]|\\["\\])+" +(?:all|priv|shared) +/iy;

export class SearchKeyReader {
  readonly #cursor: CommandCursor;
  readonly #decode: (octets: string) => string | null;
  #keys = 0;

  /** @param decode decodes octets, one per character, from the charset of the command; returns null for invalid octets */
  constructor(cursor: CommandCursor, decode: (octets: string) => string | null) {
    this.#cursor = cursor;
    this.#decode = decode;
  }

  /** Parses one or more search keys, all of which must match. */
  read(): SearchKey {
    const all = [this.#key(0)];
    while (this.#cursor.more()) all.push(this.#key(0));
    return and(all);
  }

  #key(depth: number): SearchKey {
    const cursor = this.#cursor;
    if (depth > MAX_DEPTH) cursor.fault(`${cursor.command} has more than ${MAX_DEPTH} nested keys`);
    if (++this.#keys > MAX_KEYS) cursor.fault(`${cursor.command} has more than ${MAX_KEYS} keys`);
    if (cursor.nextIs('(')) {
      const all = cursor.list('keys', MAX_KEYS, () => this.#key(depth + 1));
      return all.length > 0 ? and(all) : cursor.needs(WHAT);
    }
    if (/^[\d*$]$/.test(cursor.next())) return { key: 'SEQ', set: readSequenceSet(cursor) };
    const name = cursor.word(WHAT);
    if (WORDS.has(name)) return { key: name as SearchWord };
    if (TEXT_KEYS.has(name)) return { key: name as SearchTextKey, value: this.#text(name) };
    if (DAY_KEYS.has(name)) {
      cursor.space('a day, such as 1-Feb-2026');
      return { key: name as SearchDayKey, day: readDay(cursor) };
    }
    return this.#otherKey(name, depth);
  }

  #otherKey(name: string, depth: number): SearchKey {
    const cursor = this.#cursor;
    switch (name) {
      case 'NOT':
        cursor.space('a key after NOT');
        return { key: 'NOT', of: this.#key(depth + 1) };
      case 'OR': {
        cursor.space('two keys after OR');
        const either = this.#key(depth + 1);
        cursor.space('two keys after OR');
        return { key: 'OR', either, or: this.#key(depth + 1) };
      }
      case 'HEADER': {
        const field = this.#text(name);
        return { key: name, field, value: this.#text(name) };
      }
      case 'KEYWORD':
      case 'UNKEYWORD':
        cursor.space('a keyword');
        return { key: name, keyword: cursor.atom('a keyword') };
      case 'LARGER':
      case 'SMALLER':
        cursor.space('a number of octets');
        return { key: name, octets: cursor.number64('a number of octets') };
      case 'OLDER':
      case 'YOUNGER':
        cursor.space('a number of seconds');
        return { key: name, seconds: cursor.positive('a number of seconds') };
      case 'EMAILID':
      case 'THREADID':
        cursor.space('an id');
        return { key: name, id: cursor.octets('an id') };
      case 'MODSEQ':
        cursor.space('a MODSEQ');
        // The entry name is ignored, because a message has one MODSEQ for all its changes (RFC 7162, section 3.1.5).
        cursor.match(ENTRY);
        return { key: name, modseq: cursor.number64('a MODSEQ') };
      case 'UID':
        cursor.space('UIDs, such as 1:5');
        return { key: name, set: readSequenceSet(cursor, 'UIDs, such as 1:5') };
      default:
        return cursor.fault(`${cursor.command} does not support the key ${name.slice(0, 30)}`);
    }
  }

  #text(name: string): string {
    const cursor = this.#cursor;
    const what = `a text after ${name}`;
    cursor.space(what);
    return (
      this.#decode(cursor.octets(what)) ?? cursor.fault(`The text after ${name} is not valid in its charset`)
    );
  }
}

function and(all: readonly SearchKey[]): SearchKey {
  return all.length === 1 ? (all[0] as SearchKey) : { key: 'AND', all };
}
