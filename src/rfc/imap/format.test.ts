import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CommandCursor } from './command-cursor.ts';
import { formatDateTime, readDateTime } from './dates.ts';
import { formatList } from './format-list.ts';
import { formatEsearch, formatSet } from './format-numbers.ts';
import { formatAstring, formatMailbox, formatNstring, formatString } from './format-text.ts';
import { piecesOf } from './pieces.fixture.ts';
import { readSequenceSet } from './sequence-set.ts';

for (const [text, written] of [
  ['Sent', 'Sent'],
  ['a/b', 'a/b'],
  ['', '""'],
  ['nil', '"nil"'],
  ['a b', '"a b"'],
  ['%', '"%"'],
  ['a"\\', '"a\\"\\\\"'],
  ['ö', '{2}\r\nö'],
  ['a\r\nb', '{4}\r\na\r\nb'],
] as const)
  test(`${JSON.stringify(text)} is written as ${JSON.stringify(written)}`, () =>
    assert.equal(formatAstring(text, false), written));

test('non-ASCII text is quoted for clients that have enabled UTF-8, and a literal for other clients', () => {
  assert.equal(formatString('ö', true), '"ö"');
  assert.equal(formatNstring('ö', false), '{2}\r\nö');
  assert.equal(formatNstring(null, true), 'NIL');
});

test('a mailbox name is formatted in UTF-8 or modified UTF-7', () => {
  assert.equal(formatMailbox('Entwürfe v1.2', true), '"Entwürfe v1.2"');
  assert.equal(formatMailbox('Entwürfe v1.2', false), '"Entw&APw-rfe v1.2"');
  assert.equal(formatMailbox('R&D', false), 'R&-D');
});

for (const utf8 of [true, false])
  test(`formatted names and texts are parsed back unchanged ${utf8 ? 'in UTF-8' : 'in modified UTF-7'}`, () => {
    const text = fc.string({ unit: 'grapheme' }).map((each) => each.toWellFormed().replaceAll('\0', ''));
    fc.assert(
      fc.property(text, text, (value, name) => {
        const written = `${formatString(value, utf8)} ${formatMailbox(name, utf8)}`;
        const cursor = new CommandCursor(piecesOf(written), utf8);
        assert.equal(cursor.text('a text'), value);
        cursor.space('a name');
        assert.equal(cursor.mailbox(), name.toUpperCase() === 'INBOX' ? 'INBOX' : name);
        cursor.end();
      }),
    );
  });

for (const [numbers, set] of [
  [[], ''],
  [[7], '7'],
  [[1, 2, 3, 7, 9, 10], '1:3,7,9:10'],
  [[5, 4, 4, 5], '5,4,4:5'],
] as const)
  test(`the numbers "${numbers.join(' ')}" are formatted as the set "${set}"`, () =>
    assert.equal(formatSet(numbers), set));

test('formatted sets are parsed back unchanged', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (numbers) => {
      const set = readSequenceSet(new CommandCursor(piecesOf(formatSet(numbers)), false));
      assert.ok(set !== 'saved');
      const read = set.flatMap(([first, last]) => {
        const from = Number(first);
        return Array.from({ length: Number(last) - from + 1 }, (_, at) => from + at);
      });
      assert.deepEqual(read, numbers);
    }),
  );
});

test('formatEsearch writes the results that are present', () => {
  assert.equal(formatEsearch('a1', false, {}), 'ESEARCH (TAG "a1")');
  assert.equal(
    formatEsearch('a1', true, { min: 2, max: 9, count: 3, all: [2, 3, 9], modseq: 17 }),
    'ESEARCH (TAG "a1") UID MIN 2 MAX 9 COUNT 3 ALL 2:3,9 MODSEQ 17',
  );
  assert.equal(
    formatEsearch('a1', true, { min: null, count: 0, all: [], partial: { range: [-1, -100], numbers: [] } }),
    'ESEARCH (TAG "a1") UID COUNT 0 PARTIAL (-1:-100 NIL)',
  );
});

test('formatList writes the attributes, the old name and the matching options of children', () => {
  assert.equal(formatList({ name: 'a b', attributes: [] }, '/', false), '() "/" "a b"');
  assert.equal(
    formatList(
      { name: 'a', attributes: ['\\Noselect', '\\HasChildren'], childInfo: ['SUBSCRIBED'], oldName: 'ä' },
      '/',
      false,
    ),
    '(\\Noselect \\HasChildren) "/" a (CHILDINFO ("SUBSCRIBED") OLDNAME (&AOQ-))',
  );
});

test('a date is formatted in UTC and parsed back', () => {
  assert.equal(formatDateTime(new Date('0099-02-03T04:05:06.789Z')), '"03-Feb-0099 04:05:06 +0000"');
  const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(dates, (date) => {
      const seconds = Math.floor(date.getTime() / 1_000) * 1_000;
      assert.equal(readDateTime(formatDateTime(date).slice(1, -1))?.getTime(), seconds);
    }),
  );
});

for (const [text, time] of [
  ['17-Jul-1996 02:44:25 -0700', '1996-07-17T09:44:25.000Z'],
  [' 1-jan-2026 00:00:60 +1400', '2025-12-31T10:01:00.000Z'],
  ['29-Feb-2025 00:00:00 +0000', null],
  ['01-Jan-2025 24:00:00 +0000', null],
  ['01-Jan-2025 00:00:00', null],
] as const)
  test(`${text} is ${time ?? 'not a valid date'}`, () =>
    assert.equal(readDateTime(text)?.toISOString() ?? null, time));
