import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { runs } from '../../../test/support/property-runs.ts';
import type { Command, Day, FetchItem, SearchKey, Section, SequenceSet } from './command.ts';
import { COMMANDS } from './commands.fixture.ts';
import { formatString } from './format-text.ts';
import { mutated } from './mutate.fixture.ts';
import { parseCommand } from './parse-command.ts';
import { piecesOf } from './pieces.fixture.ts';

const command = mutated(COMMANDS.map(([text]) => `a1 ${text}`));

test('any input is parsed as a command or returns a one-line fault', () => {
  fc.assert(
    fc.property(fc.oneof(command, anyText()), fc.boolean(), (text, utf8) => {
      const parsed = parseCommand(piecesOf(text), { utf8 });
      if ('command' in parsed) return;
      assert.match(parsed.fault, /^[\x20-\x7e]{10,160}$/);
    }),
    { numRuns: runs(3_000) },
  );
});

const REPEATED = 200_000;

// With this many repetitions, quadratic time would take minutes.
for (const [start, part] of [
  ['LOGIN "', '\\\\'],
  ['LOGIN "', 'a'],
  ['LOGIN ', 'a'],
  ['FETCH ', '1:2,'],
  ['FETCH 1 (', 'FLAGS '],
  ['FETCH 1 BODY[', '1.'],
  ['FETCH 1 BODY[HEADER.FIELDS (', 'a '],
  ['SEARCH ', '('],
  ['SEARCH ', 'OR '],
  ['SEARCH MODSEQ "/flags/', '\\\\'],
  ['SEARCH ', ' '],
  ['FETCH 1 PREVIEW', ' '],
  ['FETCH 1 PREVIEW (', 'LAZY '],
  ['LIST "" (', '% '],
  ['LIST "" "', '&AOQ-'],
  ['LIST "" "', '&'],
  ['ID (', '"a" "b" '],
  ['APPEND a (', '\\Seen '],
  ['APPEND a ', '{0}\r\n '],
  ['ENABLE ', 'A '],
  ['SETQUOTA a (STORAGE ', '1'],
] as const)
  test(`${start} followed by ${JSON.stringify(part)} repeated ${REPEATED} times takes linear time`, () => {
    for (const utf8 of [true, false])
      assert.ok('tag' in parseCommand(piecesOf(`a ${start}${part.repeat(REPEATED)}`), { utf8 }));
  });

/** Makes records with the same prototype as the records of the parser. */
function record<T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
}

const number = fc.integer({ min: 1, max: 4_294_967_295 });
const setNumber = fc.oneof(number, fc.constant('*' as const));
const set: fc.Arbitrary<SequenceSet> = fc.oneof(
  fc.constant('saved' as const),
  fc.array(fc.tuple(setNumber, setNumber), { minLength: 1, maxLength: 5 }),
);
const value = fc.string({ unit: 'grapheme' }).map((text) => text.toWellFormed().replaceAll('\0', ''));
const day: fc.Arbitrary<Day> = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]);

const { key } = fc.letrec<{ key: SearchKey; leaf: SearchKey }>((tie) => ({
  leaf: fc.oneof(
    fc
      .constantFrom('ALL' as const, 'UNSEEN' as const, 'SAVEDATESUPPORTED' as const)
      .map((word) => ({ key: word })),
    record({ key: fc.constantFrom('FROM' as const, 'TEXT' as const), value }),
    record({ key: fc.constant('HEADER' as const), field: value, value }),
    record({ key: fc.constantFrom('ON' as const, 'SAVEDSINCE' as const), day }),
    record({ key: fc.constant('LARGER' as const), octets: fc.nat() }),
    record({ key: fc.constant('YOUNGER' as const), seconds: number }),
    record({ key: fc.constantFrom('SEQ' as const, 'UID' as const), set }),
  ),
  key: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'key' },
    tie('leaf'),
    record({ key: fc.constant('NOT' as const), of: tie('key') }),
    record({ key: fc.constant('OR' as const), either: tie('key'), or: tie('key') }),
    record({
      key: fc.constant('AND' as const),
      all: fc.array(tie('key'), { minLength: 2, maxLength: 4 }),
    }),
  ),
}));

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function writeSet(ranges: SequenceSet): string {
  return ranges === 'saved' ? '$' : ranges.map(([first, last]) => `${first}:${last}`).join(',');
}

function writeKey(each: SearchKey): string {
  switch (each.key) {
    case 'AND':
      return `(${each.all.map(writeKey).join(' ')})`;
    case 'NOT':
      return `NOT ${writeKey(each.of)}`;
    case 'OR':
      return `OR ${writeKey(each.either)} ${writeKey(each.or)}`;
    case 'SEQ':
      return writeSet(each.set);
    case 'UID':
      return `UID ${writeSet(each.set)}`;
    case 'HEADER':
      return `HEADER ${formatString(each.field, false)} ${formatString(each.value, true)}`;
    case 'LARGER':
      return `larger ${each.octets}`;
    case 'YOUNGER':
      return `Younger ${each.seconds}`;
    default: {
      if ('value' in each) return `${each.key} ${formatString(each.value, false)}`;
      if (!('day' in each)) return each.key;
      const [year, month, date] = each.day;
      return `${each.key} ${date}-${MONTHS[month - 1]}-${String(year).padStart(4, '0')}`;
    }
  }
}

function read(text: string): Command {
  const parsed = parseCommand(piecesOf(text), { utf8: false });
  assert.ok('command' in parsed, `${text}: ${JSON.stringify(parsed)}`);
  return parsed.command;
}

test('formatted search keys are parsed back unchanged', () => {
  fc.assert(
    fc.property(key, (criteria) => {
      const written = criteria.key === 'AND' ? writeKey(criteria).slice(1, -1) : writeKey(criteria);
      const expected = { name: 'SEARCH', uid: true, return: null, charset: null, criteria };
      assert.deepEqual(read(`a UID SEARCH ${written}`), expected);
    }),
  );
});

const part = fc.array(fc.integer({ min: 1, max: 99 }), { maxLength: 4 });
const partial = fc.option(fc.tuple(fc.nat(), fc.integer({ min: 1 })));
const section: fc.Arbitrary<Section> = fc.oneof(
  record({ part, text: fc.constantFrom(null, 'HEADER' as const, 'TEXT' as const) }),
  record({ part: part.filter(({ length }) => length > 0), text: fc.constant('MIME' as const) }),
  record({
    part,
    text: record({
      fields: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
      not: fc.boolean(),
    }),
  }),
);
const item: fc.Arbitrary<FetchItem> = fc.oneof(
  fc.constantFrom('UID' as const, 'BODY' as const, 'RFC822.SIZE' as const).map((word) => ({ item: word })),
  record({ item: fc.constant('PREVIEW' as const), lazy: fc.boolean() }),
  record({ item: fc.constant('BODY[]' as const), section, peek: fc.boolean(), partial }),
  record({ item: fc.constant('BINARY[]' as const), part, peek: fc.boolean(), partial }),
  record({ item: fc.constant('BINARY.SIZE[]' as const), part }),
);

function writeItem(each: FetchItem): string {
  if (each.item === 'PREVIEW') return each.lazy ? 'PREVIEW (LAZY)' : 'PREVIEW';
  if (each.item === 'BINARY.SIZE[]') return `BINARY.SIZE[${each.part.join('.')}]`;
  if (!('partial' in each)) return each.item;
  const range = each.partial === null ? '' : `<${each.partial.join('.')}>`;
  const name = `${each.item.slice(0, -2)}${each.peek ? '.PEEK' : ''}`;
  return `${name}[${'part' in each ? each.part.join('.') : writeSection(each.section)}]${range}`;
}

function writeSection({ part: numbers, text }: Section): string {
  if (text === null) return numbers.join('.');
  const fields = typeof text === 'string' ? [] : text.fields.map((field) => formatString(field, false));
  const name =
    typeof text === 'string' ? text : `HEADER.FIELDS${text.not ? '.NOT' : ''} (${fields.join(' ')})`;
  return [...numbers, name].join('.');
}

test('formatted fetch items are parsed back unchanged', () => {
  fc.assert(
    fc.property(set, fc.array(item, { minLength: 1, maxLength: 8 }), (ranges, items) => {
      const got = read(`a FETCH ${writeSet(ranges)} (${items.map(writeItem).join(' ')})`);
      const modifiers = { changedSince: null, vanished: false, partial: null };
      assert.deepEqual(got, { name: 'FETCH', uid: false, set: ranges, items, ...modifiers });
    }),
  );
});
