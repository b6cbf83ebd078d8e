/** Parses FETCH items (RFC 9051, sections 6.4.5 and 9; RFC 3501; RFC 7162, 8474, 8514, 8970). */
import type { FetchItem, FetchWord, Section } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';

const MAX_ITEMS = 200;
const MAX_FIELDS = 200;
const MAX_DEPTH = 100;

const MACROS = new Map<string, readonly FetchItem[]>();
const FAST: FetchItem[] = [{ item: 'FLAGS' }, { item: 'INTERNALDATE' }, { item: 'RFC822.SIZE' }];
const ALL: FetchItem[] = [...FAST, { item: 'ENVELOPE' }];
MACROS.set('FAST', FAST)
  .set('ALL', ALL)
  .set('FULL', [...ALL, { item: 'BODY' }]);

const WORDS: ReadonlySet<string> = new Set<FetchWord>([
  'FLAGS',
  'ENVELOPE',
  'BODYSTRUCTURE',
  'BODY',
  'INTERNALDATE',
  'UID',
  'MODSEQ',
  'EMAILID',
  'THREADID',
  'SAVEDATE',
  'RFC822.SIZE',
  'RFC822',
  'RFC822.HEADER',
  'RFC822.TEXT',
]);

const PART = /\d{1,10}(?:\.\d{1,10})*/y;
const WHAT = 'items to fetch, such as FLAGS or (UID ENVELOPE)';

/** Parses a macro, one item, or a list of items. */
export function readFetchItems(cursor: CommandCursor): readonly FetchItem[] {
  if (cursor.nextIs('(')) {
    const items = cursor.list('items', MAX_ITEMS, () => readItem(cursor));
    return items.length > 0 ? items : cursor.needs(WHAT);
  }
  const macro = MACROS.get(cursor.peekWord());
  if (macro === undefined) return [readItem(cursor)];
  cursor.word(WHAT);
  return macro;
}

function readItem(cursor: CommandCursor): FetchItem {
  const name = cursor.word(WHAT);
  const hasSection = cursor.take('[');
  switch (hasSection ? `${name}[]` : name) {
    case 'BODY[]':
    case 'BODY.PEEK[]': {
      const section = readSection(cursor);
      return { item: 'BODY[]', section, peek: name !== 'BODY', partial: readPartial(cursor) };
    }
    case 'BINARY[]':
    case 'BINARY.PEEK[]': {
      const part = readPart(cursor);
      close(cursor);
      return { item: 'BINARY[]', part, peek: name !== 'BINARY', partial: readPartial(cursor) };
    }
    case 'BINARY.SIZE[]': {
      const part = readPart(cursor);
      close(cursor);
      return { item: 'BINARY.SIZE[]', part };
    }
    case 'PREVIEW':
      return { item: 'PREVIEW', lazy: readLazy(cursor) };
    default:
      if (hasSection || !WORDS.has(name)) cursor.fault(`FETCH does not know ${name.slice(0, 30)}`);
      return { item: name as FetchWord };
  }
}

const LAZY = / +\( *LAZY(?: +LAZY)* *\)/iy;

/** Parses an optional `(LAZY)`. Other parentheses after the item begin the FETCH modifiers. */
function readLazy(cursor: CommandCursor): boolean {
  return cursor.match(LAZY) !== null;
}

/** Reads the section up to and including the closing bracket. */
function readSection(cursor: CommandCursor): Section {
  const part = readPart(cursor);
  if (cursor.take(']')) return { part, text: null };
  if (part.length > 0 && !cursor.take('.')) cursor.needs('a . between part and text, such as BODY[1.TEXT]');
  const text = readSectionText(cursor, part.length > 0);
  close(cursor);
  return { part, text };
}

function readSectionText(cursor: CommandCursor, isPart: boolean): Section['text'] {
  const name = cursor.word('a section, such as BODY[HEADER]');
  if (name === 'HEADER' || name === 'TEXT' || (name === 'MIME' && isPart)) return name;
  if (name !== 'HEADER.FIELDS' && name !== 'HEADER.FIELDS.NOT')
    return cursor.fault(`${cursor.command} does not support the section ${name.slice(0, 30)}`);
  const what = 'names of header fields';
  cursor.space(what);
  const fields = cursor.list(what, MAX_FIELDS, () => cursor.octets(what));
  if (fields.length === 0) cursor.needs(what);
  return { fields, not: name === 'HEADER.FIELDS.NOT' };
}

/** Reads part numbers. Returns [] for a section without part numbers. */
function readPart(cursor: CommandCursor): number[] {
  const numbers = (cursor.match(PART) ?? '').split('.').filter((number) => number !== '');
  if (numbers.length > MAX_DEPTH)
    cursor.fault(`${cursor.command} has more than ${MAX_DEPTH} levels of parts`);
  return numbers.map(
    (number) => Number(number) || cursor.fault(`${cursor.command} has a part 0; parts start at 1`),
  );
}

function close(cursor: CommandCursor): void {
  if (!cursor.take(']')) cursor.needs('a ] after the section');
}

function readPartial(cursor: CommandCursor): readonly [number, number] | null {
  if (!cursor.take('<')) return null;
  const what = 'a range of octets, such as <0.1000>';
  const offset = cursor.number64(what);
  if (!cursor.take('.')) cursor.needs(what);
  const octets = cursor.number64(what);
  if (!cursor.take('>') || octets === 0) cursor.needs(what);
  return [offset, octets];
}
