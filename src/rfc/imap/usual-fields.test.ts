import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { headerEnd } from '../mime/index.ts';
import { selectFields } from './sections.ts';
import { areUsual, selectUsual, usualFields } from './usual-fields.ts';

const NAMES = [
  'From',
  'TO',
  'subject',
  'Message-ID',
  'X-Spam-Status',
  'Received',
  'X-Other',
  'DKIM-Signature',
  'from ',
];
const octet = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\r\n ',
  '\r\n\t',
  '\n ',
  ':',
  ' ',
  'a',
  '\0',
  '\x80',
  'é',
  '\xff',
  '\r\n\r\n',
);
const values = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(' plain', '', ' a\r\n b', '\r\n\tfolded\r\n again', ' \xe9\xff', ': a:b'),
  },
  { weight: 1, arbitrary: fc.string({ unit: octet, maxLength: 6 }) },
);
const lines = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(fc.constantFrom(...NAMES), values).map(([name, value]) => `${name}:${value}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('From someone', ' lost', '', ':', 'no field') },
);
const messages = fc
  .tuple(
    fc.array(lines, { maxLength: 8 }),
    fc.constantFrom('\r\n', '\r\n', '\n'),
    fc.constantFrom('\r\n\r\n', '\r\nbody', '', '\n\n'),
  )
  .map(([all, lineEnd, rest]) => Buffer.from(all.map((line) => line + lineEnd).join('') + rest, 'latin1'));
const requestedNames = fc.subarray(['FROM', 'to', 'Subject', 'message-id', 'x-spam-status', 'Cc'], {
  minLength: 1,
});

test('selectUsual returns the same fields from the stored text as selectFields from the message', () => {
  let storedCount = 0;
  fc.assert(
    fc.property(messages, requestedNames, (raw, names) => {
      const header = raw.subarray(0, headerEnd(raw));
      const stored = usualFields(header);
      if (stored === null) return;
      storedCount++;
      assert.ok(!stored.includes('\n'));
      const selected = selectUsual(stored, new Set(names.map((name) => name.toLowerCase())));
      assert.deepEqual(Buffer.from(selected, 'latin1'), selectFields(header, names, false));
    }),
    { numRuns: runs(2_000) },
  );
  // About a third of the random messages have fields that can be stored. With few runs, this share varies more.
  assert.ok(storedCount > (runs(2_000) === 2_000 ? 500 : runs(2_000) / 8), `${storedCount}`);
});

const HEADERS: [what: string, header: string, kept: string | null][] = [
  [
    'usual fields and others',
    'Received: x\r\nFrom: a\r\nX-Foo: y\r\n z\r\nTo: b,\r\n c\r\n\r\n',
    'From: a\rTo: b,\r c\r',
  ],
  ['no usual field', 'X-Foo: y\r\n\r\n', ''],
  ['only the empty line', '\r\n', ''],
  ['octets outside ASCII', 'Subject: \xe9\r\n\r\n', 'Subject: \xe9\r'],
  ['no header at all', '', null],
  ['no empty line after it', 'From: a\r\n', null],
  ['LF at the end of a line', 'From: a\nTo: b\r\n\r\n', null],
  ['LF at the end of a line of another field', 'X-Foo: a\nTo: b\r\n\r\n', 'To: b\r'],
  ['LF as the empty line', 'From: a\r\n\n', null],
  ['a CR within a line', 'From: a\rb\r\n\r\n', null],
  ['a NUL', 'From: \0\r\n\r\n', null],
  ['the largest field that is stored', `To: ${'x'.repeat(8_184)}\r\n\r\n`, `To: ${'x'.repeat(8_184)}\r`],
  ['a field above the limit', `To: ${'x'.repeat(8_185)}\r\n\r\n`, null],
  ['more octets than are parsed', `From: a\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`, null],
];
for (const [what, header, stored] of HEADERS)
  test(`usualFields returns ${stored === null ? 'null' : 'the usual fields'} for a header with ${what}`, () => {
    assert.equal(usualFields(Buffer.from(header, 'latin1')), stored);
  });

test('the fields that mail apps request are usual fields', () => {
  const apps = [
    'DATE FROM SENDER SUBJECT TO CC MESSAGE-ID REFERENCES CONTENT-TYPE CONTENT-DESCRIPTION IN-REPLY-TO REPLY-TO LINES LIST-POST LIST-SUBSCRIBE LIST-UNSUBSCRIBE X-LABEL X-ORIGINAL-TO',
    'From To Cc Bcc Subject Date Message-ID Priority X-Priority References Newsgroups In-Reply-To Content-Type Reply-To',
    'date subject from content-type to cc reply-to message-id references in-reply-to list-unsubscribe sender X-K9mail-Identity Chat-Version',
    'X-TUID MESSAGE-ID',
  ];
  for (const names of apps) assert.equal(areUsual(names.split(' ')), true, names);
  assert.equal(areUsual(['From', 'Received']), false);
});
