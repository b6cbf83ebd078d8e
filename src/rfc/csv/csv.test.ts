import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine, csvRecords } from './csv.ts';

const read = (text: string, options = {}) =>
  csvRecords(text, { separators: ',', isEnd: true, max: 1_000, ...options });
const cellsOf = (text: string, options = {}) => read(text, options).records.map(({ cells }) => cells);

const cell = fc.string({ unit: 'grapheme', maxLength: 12 });
const part = fc.constantFrom('=', '-1', '@a', '\uff0b', ';', '\t', ',', '"', "'", ' ', '\r', '\n', 'a');
const hostile = fc.array(part, { maxLength: 10 }).map((parts) => parts.join(''));
const quoted = fc.constantFrom('a,b', 'x\r\ny', '"', '""', 'a"b', '=1+1', '+a@dst.test', ' -x', '\r', '\n');
const rows = fc.array(fc.array(fc.oneof(cell, quoted, hostile), { minLength: 1, maxLength: 4 }), {
  maxLength: 6,
});

test('csvRecords returns the cells that csvLine wrote', () => {
  fc.assert(
    fc.property(rows, (given) => {
      assert.deepEqual(cellsOf(given.map(csvLine).join('')), given);
    }),
  );
});

test('csvRecords returns each record once, however the input is split into chunks', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\r\n'), maxLength: 60 });
  fc.assert(
    fc.property(rows, text, fc.integer({ min: 1, max: 40 }), (given, more, size) => {
      const whole = `${given.map(csvLine).join('')}${more}`;
      let at = 0;
      for (let read = 1; read > 0; at += read)
        ({ read } = csvRecords(whole.slice(at, at + size), {
          separators: ',',
          isEnd: at + size >= whole.length,
          max: 3,
        }));
      assert.equal(at, whole.length);
      const lines = whole.match(/\r\n|\r|\n/g)?.length ?? 0;
      assert.equal(read(whole).lines, lines + (/(?:^|[\r\n])$/.test(whole) ? 0 : 1));
    }),
  );
});

test('csvRecords reads a quote inside a cell or without a closing quote as text', () => {
  assert.deepEqual(cellsOf('a"b,c\nd,"e\nf'), [['a"b', 'c'], ['d', '"e'], ['f']]);
  assert.deepEqual(cellsOf('"a","b ""c"""x\n'), [['a', 'b "c"x']]);
});

test('csvRecords removes the apostrophe before a formula, but not before a name', () => {
  assert.equal(csvLine(['=1', "'x", '+a@dst.test']), `"'=1","'x","'+a@dst.test"\r\n`);
  assert.deepEqual(cellsOf("'=1,'x,'+a@dst.test"), [['=1', "'x", '+a@dst.test']]);
});

test('csvLine quotes every cell, and disarms formulas at all positions where a spreadsheet may begin a cell', () => {
  const lines: readonly [cell: string, written: string][] = [
    ["Hi;=cmd|' /C calc'!A0;x", "Hi;'=cmd|' /C calc'!A0;x"],
    ['a\t@SUM(1)', "a\t'@SUM(1)"],
    ['a\r\n-1', "a\r'\n'-1"],
    ['a; "=1', `a;' ""=1`],
    ['\uff1d1;\uff0b1', "'\uff1d1;'\uff0b1"],
    ['\tx', "'\tx"],
    ["'=1", "''=1"],
    ['1 + 1 = 2; done', '1 + 1 = 2; done'],
  ];
  for (const [given, written] of lines) assert.equal(csvLine([given, '']), `"${written}",""\r\n`);
});

test('no cell that csvLine wrote starts with a formula, whichever separator a spreadsheet uses', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const texts = [given.map(csvLine).join(''), ...given.flat().map((each) => csvLine([each]))];
      for (const each of texts.flatMap((text) => text.split(/[;\t\r\n]/)))
        assert.doesNotMatch(each, /^["\s]*[=+\-@\uff1d\uff0b\uff0d\uff20]/);
    }),
  );
});

test('csvRecords stops at the maximum number of records', () => {
  const { records, read: characters, lines } = read('a\nb\nc\n', { max: 2 });
  assert.deepEqual([records.map(({ text }) => text), characters, lines], [['a', 'b'], 4, 2]);
});
