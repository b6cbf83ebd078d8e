import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import {
  createDecoder,
  type EntityLimits,
  headerEnd,
  readEntity,
  readHeader,
  UnknownEncoding,
} from '../mime/index.ts';
import { decodingPart, isEncoded } from './binary.ts';
import { bodyStructureText } from './body-structure.ts';
import { ImapWriter } from './imap-writer.ts';
import { FieldSelector, findPart, findSection, type SectionPart, partOf, selectFields } from './sections.ts';

const LIMITS: EntityLimits = {
  depth: 6,
  parts: 20,
  header: { octets: 262_144, value: 16_384 },
  insideMessages: true,
};

const NESTED = `From: a@b.c
Subject: outer
Content-Type: multipart/mixed; boundary=o

pre
--o
Content-Type: text/plain
X-A: 1

part one
--o
Content-Type: message/rfc822

Subject: in
Content-Type: multipart/alternative; boundary=i

--i

A
--i
Content-Type: text/html
Content-Transfer-Encoding: base64

PGI+aGk8
L2I+
--i--

--o
Content-Type: message/rfc822

Subject: plain in

body in
--o--
epi
`;
const SINGLE = 'From: a@b.c\nSubject: s\n folded\nX: y\n\nhello\nworld\n';
const INSIDE = 'Subject: x\nContent-Type: message/rfc822\n\nSubject: inner\n\nbody\n';
const INNER = 'Subject: in\nContent-Type: multipart/alternative; boundary=i\n\n';
const ALTERNATIVES =
  '--i\n\nA\n--i\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+aGk8\nL2I+\n--i--\n';

/** The result of Dovecot for each section. Null for a missing section, for which Dovecot returns an empty literal. */
const TABLE: readonly [message: string, name: string, sections: Record<string, string | null>][] = [
  [
    NESTED,
    'a multipart that contains messages',
    {
      '': NESTED,
      HEADER: NESTED.slice(0, NESTED.indexOf('pre\n')),
      TEXT: NESTED.slice(NESTED.indexOf('pre\n')),
      '1': 'part one',
      '1.MIME': 'Content-Type: text/plain\nX-A: 1\n\n',
      '1.HEADER': null,
      '1.TEXT': null,
      '1.1': null,
      '2': INNER + ALTERNATIVES,
      '2.MIME': 'Content-Type: message/rfc822\n\n',
      '2.HEADER': INNER,
      '2.TEXT': ALTERNATIVES,
      '2.1': 'A',
      '2.1.MIME': '\n',
      '2.2': 'PGI+aGk8\nL2I+',
      '2.3': null,
      '3': 'Subject: plain in\n\nbody in',
      '3.1': 'body in',
      '3.1.MIME': 'Subject: plain in\n\n',
      '3.1.1': null,
      '4': null,
    },
  ],
  [
    SINGLE,
    'a message of one part',
    {
      HEADER: SINGLE.slice(0, -12),
      '1': 'hello\nworld\n',
      '1.MIME': SINGLE.slice(0, -12),
      '1.HEADER': null,
      '2': null,
    },
  ],
  ['From: a@b.c\n', 'a message without a body', { HEADER: 'From: a@b.c\n', TEXT: '', '1': '', '2': null }],
  [
    'Content-Type: multipart/mixed; boundary=z\n\nno parts\n',
    'a multipart without parts',
    { '1': '', TEXT: 'no parts\n', '2': null },
  ],
  [
    INSIDE,
    'a message that consists of a message',
    {
      '1': 'Subject: inner\n\nbody\n',
      '1.HEADER': 'Subject: inner\n\n',
      '1.1': 'body\n',
      '1.TEXT': 'body\n',
      '1.2': null,
      '2': null,
    },
  ],
];

function readPart(raw: Buffer): SectionPart {
  return partOf(readEntity(raw, LIMITS));
}

function sectionOf(raw: Buffer, name: string): string | null {
  const numbers = /^[\d.]*/.exec(name)?.[0] ?? '';
  const text = name.slice(numbers.length);
  const range = findSection(readPart(raw), {
    part: numbers
      .split('.')
      .filter((number) => number !== '')
      .map(Number),
    text: text === '' ? null : (text as 'HEADER' | 'TEXT' | 'MIME'),
  });
  return range === null ? null : raw.toString('latin1', range.start, range.end);
}

describe('findSection and selectFields', () => {
  for (const [message, name, sections] of TABLE)
    for (const [newline, ends] of [
      ['\r\n', 'with CRLF'],
      ['\n', 'with LF'],
    ] as const)
      test(`findSection returns the sections of ${name} ${ends}`, () => {
        const raw = Buffer.from(message.replaceAll('\n', newline));
        for (const [section, expected] of Object.entries(sections))
          assert.equal(
            sectionOf(raw, section),
            expected?.replaceAll('\n', newline) ?? null,
            `BODY[${section}]`,
          );
      });

  const header = 'From: a@b.c\r\nSubject: s\r\n folded\r\nX: y\r\nno field\r\nsubject : t\r\n\r\n';
  for (const [names, isNot, expected] of [
    [['subject', 'x-none'], false, 'Subject: s\r\n folded\r\nsubject : t\r\n\r\n'],
    [['FROM'], false, 'From: a@b.c\r\n\r\n'],
    [['none'], false, '\r\n'],
    [['subject'], true, 'From: a@b.c\r\nX: y\r\nno field\r\n\r\n'],
  ] as const)
    test(`selectFields returns the fields ${isNot ? 'other than ' : ''}${names.join()}`, () =>
      assert.equal(String(selectFields(Buffer.from(header), names, isNot)), expected));

  test('selectFields adds an empty line to selected fields even if the header has no empty line', () => {
    assert.equal(String(selectFields(Buffer.from('A: 1\r\nB: 2'), ['a'], false)), 'A: 1\r\n\r\n');
    assert.equal(String(selectFields(Buffer.from('A: 1\r\nB: 2'), ['a'], true)), 'B: 2');
  });

  test('FieldSelector returns the same fields as selectFields for a header in chunks of any size', () => {
    const octets = fc.array(
      fc.constantFrom('a', 'A: ', 'b :', ':', ' ', '\t', '\r', '\n', '\r\n', '\r\na:', 'x'.repeat(1_500)),
    );
    fc.assert(
      fc.property(fc.array(octets), fc.boolean(), (pieces, isNot) => {
        const selector = new FieldSelector(['A'], isNot);
        const header = pieces.map((piece) => Buffer.from(piece.join('')));
        const taken = [...header.flatMap((piece) => selector.push(piece)), ...selector.end()];
        assert.equal(String(Buffer.concat(taken)), String(selectFields(Buffer.concat(header), ['a'], isNot)));
      }),
    );
  });
});

const PIECES = [
  ...'--b\n|--b--\n|--c\n|\n|\n\n|text|Content-Type: multipart/mixed; boundary=b\n|Content-Type: multipart/digest; boundary=c\n'.split(
    '|',
  ),
  ..."Content-Type: message/rfc822\n|Content-Type: message/global\n|Content-Type: text/html; x*=utf-8''%C3%BC\n|Subject: s\n|A:|From x\n".split(
    '|',
  ),
  ...'Content-Transfer-Encoding: base64\n|Content-Transfer-Encoding: quoted-printable\n|QUJD|=41=\n| \n|\r|ü'.split(
    '|',
  ),
];
const made = fc
  .tuple(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), fc.constantFrom('\n', '\r\n'))
  .map(([pieces, newline]) => Buffer.from(pieces.join('').replaceAll('\n', newline)));

/** The octets, and for some parts the lines, that BODYSTRUCTURE announces for a part. */
interface Promised {
  numbers: number[];
  octets: number;
  lines: number | null;
}
type Value = string | number | null | Value[];

function promisedBy(structure: string): Promised[] {
  const json = structure.replace(
    /"(?:[^"\\]|\\.)*"|NIL|\)\(| /g,
    (token) => ({ NIL: 'null', ')(': '],[', ' ': ',' })[token] ?? token,
  );
  const all: Promised[] = [];
  const walk = (body: Value[], numbers: number[], isMessage: boolean): void => {
    if (Array.isArray(body[0])) {
      const parts = body.slice(
        0,
        body.findIndex((value) => !Array.isArray(value)),
      );
      for (const [at, part] of parts.entries()) walk(part as Value[], [...numbers, at + 1], false);
      return;
    }
    const own = isMessage ? [...numbers, 1] : numbers;
    const hasMessage = body[0] === 'message' && Array.isArray(body[8]);
    const lines = hasMessage ? body[9] : body[0] === 'text' ? body[7] : null;
    all.push({ numbers: own, octets: body[6] as number, lines: lines as number | null });
    if (hasMessage) walk(body[8] as Value[], own, true);
  };
  walk(JSON.parse(json.replaceAll('(', '[').replaceAll(')', ']')) as Value[], [], true);
  return all;
}

describe('the sections of any message', () => {
  test('the sections of any message have the octets and lines that BODYSTRUCTURE announces', () => {
    fc.assert(
      fc.property(made, (raw) => {
        const entity = readEntity(raw, LIMITS);
        const structure = bodyStructureText(raw, entity, new ImapWriter(100_000));
        for (const { numbers, octets, lines } of promisedBy(structure)) {
          const range = findSection(partOf(entity), { part: numbers, text: null });
          assert.ok(range !== null, numbers.join('.'));
          assert.equal(range.end - range.start, octets);
          if (lines !== null)
            assert.equal(raw.toString('latin1', range.start, range.end).split('\n').length - 1, lines);
        }
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('headerEnd returns the same end of the header as readHeader for any message', () => {
    fc.assert(
      fc.property(fc.oneof(made, fc.uint8Array({ maxLength: 40 }).map(Buffer.from)), (raw) => {
        assert.equal(headerEnd(raw), readHeader(raw, 0, raw.length).bodyStart);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('the body of any part begins directly after its MIME header, and is inside the message', () => {
    fc.assert(
      fc.property(
        made,
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
        (raw, part) => {
          const message = readPart(raw);
          const body = findSection(message, { part, text: null });
          assert.equal(findSection(message, { part, text: 'MIME' })?.end, body?.start);
          if (body !== null) assert.ok(0 <= body.start && body.start <= body.end && body.end <= raw.length);
          const inside = findSection(message, { part, text: 'HEADER' });
          assert.equal(inside?.start, inside === null ? undefined : body?.start);
          assert.equal(findSection(message, { part, text: 'TEXT' })?.start, inside?.end);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  test('decodingPart does not change any message without encoded parts, and throws only UnknownEncoding', () => {
    fc.assert(
      fc.property(made, (raw) => {
        const message = readPart(raw);
        const whole = unlessUnknown(() => Buffer.concat([...decodingPart(raw, message, true)]));
        if (!isEncoded(message)) assert.deepEqual(whole, raw);
      }),
      { numRuns: runs(1_000) },
    );
  });

  const corpora = process.env['POSTHORN_CORPORA'];
  test('BODYSTRUCTURE is correct for the corpora', { skip: corpora === undefined && 'no corpora' }, () => {
    const folder = join(corpora as string, 'messages');
    for (const name of readdirSync(folder)) {
      const raw = readFileSync(join(folder, name));
      const entity = readEntity(raw, LIMITS);
      const structure = bodyStructureText(raw, entity, new ImapWriter(400_000));
      for (const { numbers, octets } of promisedBy(structure)) {
        const range = findSection(partOf(entity), { part: numbers, text: null });
        assert.equal((range?.end ?? 0) - (range?.start ?? 0), octets, `${name} ${numbers.join('.')}`);
      }
    }
  });
});

/** Decodes octets. @returns null for an unknown encoding */
function unlessUnknown(decode: () => Buffer): Buffer | null {
  try {
    return decode();
  } catch (error) {
    assert.ok(error instanceof UnknownEncoding);
    return null;
  }
}

const BROKEN_BASE64 = ['QUJD!', 'QU=JD', 'QUI=QUJD', 'QUJDR', 'QUJD\nRA==\n-- \na list', '====', 'QUJDRA==='];

describe('decodingPart', () => {
  const decoded = (text: string, numbers: number[] = []): string => {
    const raw = Buffer.from(text.replaceAll('\n', '\r\n'));
    const part = findPart(readPart(raw), numbers);
    assert.ok(part !== null);
    return Buffer.concat([...decodingPart(raw, part, numbers.length === 0)])
      .toString()
      .replaceAll('\r\n', '\n');
  };

  test('decodingPart decodes a part with line ends at any position', () => {
    assert.equal(decoded('Content-Transfer-Encoding: base64\n\nQUJ\nDRA==\n', [1]), 'ABCD');
    assert.equal(decoded('Content-Transfer-Encoding: quoted-printable\n\na=20=\nb=3D\n', [1]), 'a b=\n');
    assert.equal(decoded(NESTED, [2, 2]), '<b>hi</b>');
  });

  test('decodingPart sets Content-Transfer-Encoding to binary for decoded parts inside a message', () => {
    assert.equal(
      decoded('Subject: x\nContent-Transfer-Encoding: base64\nX: y\n\nQUJD\nRA==\n'),
      'Subject: x\nX: y\nContent-Transfer-Encoding: binary\n\nABCD',
    );
    assert.equal(
      decoded(NESTED, [2]),
      `${INNER}${ALTERNATIVES.replace('PGI+aGk8\nL2I+', '<b>hi</b>').replace('base64', 'binary')}`,
    );
  });

  test('decodingPart throws UnknownEncoding for an unknown encoding and for invalid base64', () => {
    for (const encoded of ['x-foo\n\nbody', ...BROKEN_BASE64.map((octets) => `base64\n\n${octets}`)])
      assert.throws(() => decoded(`Content-Transfer-Encoding: ${encoded}`, [1]), UnknownEncoding, encoded);
    for (const encoded of ['QUJD\n RA', 'QUJDRA=\n\n', '\n', ''])
      assert.ok(['ABCD', ''].includes(decoded(`Content-Transfer-Encoding: base64\n\n${encoded}`, [1])));
  });

  test('a decoder returns the same octets for a part in chunks as for the part in one piece', () => {
    const encoded = fc.oneof(
      fc
        .array(fc.constantFrom('QUJD', 'Q', 'UI=', '=', '\r\n', ' ', '!'))
        .map((words) => ['base64', words] as const),
      fc
        .array(fc.constantFrom('a', '=3D', '=', '=\r\n', '\n', '=4', '1', ' '))
        .map((words) => ['quoted-printable', words] as const),
    );
    fc.assert(
      fc.property(encoded, fc.integer({ min: 1, max: 9 }), ([encoding, words], length) => {
        const octets = Buffer.from(words.join(''));
        const inPieces = unlessUnknown(() => {
          const decode = createDecoder(encoding);
          const pieces: Buffer[] = [];
          for (let at = 0; at < octets.length; at += length)
            pieces.push(decode?.(octets.subarray(at, at + length), false) ?? octets);
          return Buffer.concat([...pieces, decode?.(Buffer.alloc(0), true) ?? octets]);
        });
        assert.deepEqual(
          inPieces,
          unlessUnknown(() => createDecoder(encoding)?.(octets, true) ?? octets),
        );
      }),
    );
  });
});
